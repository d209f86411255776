namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>A small object of two fields: so cheap to make that renting it may cost more.</summary>
[Message(33, Pooled = true)]
public sealed class SmallNote
{
    public int Id { get; set; }
    public int Value { get; set; }
}
