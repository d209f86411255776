namespace Reloaded.Messaging.Adapters.Benchmarks;

/// <summary>A message with a text, for two libraries: LiteNetLib reads and writes public properties of classes.</summary>
[Message(71)]
public sealed class ProcessorMessage
{
    public long Id { get; set; }

    public int X { get; set; }

    public int Y { get; set; }

    public string Name { get; set; } = "";
}
