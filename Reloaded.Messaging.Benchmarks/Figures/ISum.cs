namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>A state that handlers add to.</summary>
public interface ISum
{
    long Value { get; }

    void Add(int value);
}

/// <summary>The state of the row with one type.</summary>
public record struct OneSum(long Value) : ISum
{
    public void Add(int value) => Value += value;
}

/// <summary>The state of the row with eight types.</summary>
public record struct EightSum(long Value) : ISum
{
    public void Add(int value) => Value += value;
}

/// <summary>The state of the other rows.</summary>
public record struct KindSum(long Value) : ISum
{
    public void Add(int value) => Value += value;
}
