namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>A state to which handlers add.</summary>
public interface ISum
{
    long Value { get; }

    void Add(int value);
}

/// <summary>The state of the figure with one type.</summary>
public record struct OneSum(long Value) : ISum
{
    public void Add(int value) => Value += value;
}

/// <summary>The state of the figure with eight types.</summary>
public record struct EightSum(long Value) : ISum
{
    public void Add(int value) => Value += value;
}

/// <summary>The state of the figure with handlers that may be inlined.</summary>
public record struct InlinedSum(long Value) : ISum
{
    public void Add(int value) => Value += value;
}

/// <summary>The state of the other figures.</summary>
public record struct KindSum(long Value) : ISum
{
    public void Add(int value) => Value += value;
}
