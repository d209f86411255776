using System;
using System.Collections.Concurrent;

namespace Reloaded.Messaging.Hosting;

/// <summary>The values of a tag, in a bounded number. A program that connects to thousands of endpoints would otherwise grow the memory of each exporter. Thread-safe.</summary>
/// <param name="limit">The maximum number of values, in the lifetime of the process.</param>
internal sealed class OperationTags(int limit)
{
    /// <summary>Replaces a name that is not known, and each value after the limit.</summary>
    public const string Other = "_OTHER";

    private readonly ConcurrentDictionary<string, string> _values = new(StringComparer.Ordinal);

    /// <summary>The values of the tag <c>endpoint</c>.</summary>
    public static OperationTags Endpoints { get; } = new(100);

    /// <summary>Returns the value of the tag for a name: the name, or <see cref="Other"/> after the limit.</summary>
    public string Get(string name)
    {
        if (_values.TryGetValue(name, out var known))
            return known;
        return _values.Count < limit ? _values.GetOrAdd(name, name) : Other;
    }
}
