namespace Reloaded.Messaging.Simulation.Laws;

/// <summary>The laws of a world with a broker, besides those of all worlds. docs/rabbitmq-worlds.md says which promise each of them tests.</summary>
public static class BrokerLawNames
{
    public const string Delivered = "an accepted message reaches the broker, or is reported as refused";

    public const string KeyOrder = "messages of a key are handled in order";

    public const string Marked = "a message that is published again is marked";

    public const string OneHandler = "a process handles a key once at a time";

    public const string OnlyItself = "a queue without a majority stops only itself";

    public const string Tags = "publications have the numbers of the broker";
}
