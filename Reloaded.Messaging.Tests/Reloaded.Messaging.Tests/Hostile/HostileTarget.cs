namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>A registered message type of the receiver under attack, and good messages of it.</summary>
internal abstract class HostileTarget(int weight, bool isAsync)
{
    /// <summary>How often its messages are taken as a start, relative to the others.</summary>
    public int Weight { get; } = weight;

    public bool IsAsync { get; } = isAsync;

    public abstract MessageContract Contract { get; }

    public abstract void Register(MessageDispatcher<long> dispatcher);

    /// <summary>Each sample as an event, then each as a request.</summary>
    public abstract List<byte[]> PackSamples(MessageWriter writer);
}
