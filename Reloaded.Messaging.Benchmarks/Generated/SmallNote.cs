namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>An object with two fields. It is so small that renting may cost more than creating it.</summary>
[Message(33, Pooled = true)]
public sealed class SmallNote
{
    public int Id { get; set; }
    public int Value { get; set; }
}
