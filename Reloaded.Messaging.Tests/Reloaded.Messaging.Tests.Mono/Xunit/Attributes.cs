using System.Collections;
using System.Linq;

// The parts of xUnit.net that the compiled tests use. The runner of xUnit.net does not run on Mono 6.8.
namespace Xunit;

[AttributeUsage(AttributeTargets.Method)]
public class FactAttribute : Attribute
{
    public string? Skip { get; set; }
}

[AttributeUsage(AttributeTargets.Method)]
public sealed class TheoryAttribute : FactAttribute;

[AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
public sealed class InlineDataAttribute(params object?[]? data) : Attribute
{
    public object?[] Data { get; } = data ?? [null];
}

[AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
public sealed class MemberDataAttribute(string name, params object?[] arguments) : Attribute
{
    public string Name { get; } = name;

    public object?[] Arguments { get; } = arguments;

    public Type? MemberType { get; set; }

    public bool DisableDiscoveryEnumeration { get; set; }
}

/// <summary>Set-up and clean-up of a test class.</summary>
public interface IAsyncLifetime : IAsyncDisposable
{
    ValueTask InitializeAsync();
}

/// <summary>The rows of a theory.</summary>
public abstract class TheoryData : IEnumerable
{
    public IEnumerator GetEnumerator() => Rows.GetEnumerator();

    internal List<object?[]> Rows { get; } = [];

    protected void AddRow(params object?[] row) => Rows.Add(row);
}

public sealed class TheoryData<T> : TheoryData, IEnumerable<T>
{
    public TheoryData(params T[] values)
    {
        foreach (var value in values)
            Add(value);
    }

    public new IEnumerator<T> GetEnumerator() => Rows.Select(static row => (T)row[0]!).GetEnumerator();

    public void Add(T value) => AddRow(value);
}

public sealed class TheoryData<T1, T2> : TheoryData
{
    public void Add(T1 first, T2 second) => AddRow(first, second);
}

public sealed class TheoryData<T1, T2, T3> : TheoryData
{
    public void Add(T1 first, T2 second, T3 third) => AddRow(first, second, third);
}

public sealed class TheoryData<T1, T2, T3, T4> : TheoryData
{
    public void Add(T1 first, T2 second, T3 third, T4 fourth) => AddRow(first, second, third, fourth);
}
