namespace Reloaded.Messaging.Tests.Queueing;

/// <summary>A message that is known by its number.</summary>
internal readonly record struct Numbered(int Number)
{
    public static readonly MessageContract<Numbered> Contract = new(3, new BlittableSerializer<Numbered>());

    private static readonly MessageWriter s_writer = new();


    public static PackedMessage Pack(int number) => s_writer.Pack(Contract, new Numbered(number));
}
