namespace Reloaded.Messaging.Hosting;

/// <summary>The values of a tag, in a bounded number. A program that connects to thousands of endpoints would otherwise grow the memory of each exporter. Thread-safe.</summary>
/// <param name="limit">The maximum number of values at a time.</param>
internal sealed class OperationTags(int limit)
{
    /// <summary>Replaces a name that is not known, and each value after the limit.</summary>
    public const string Other = "_OTHER";

    private readonly Dictionary<string, int> _uses = new(StringComparer.Ordinal);

    /// <summary>The values of the tag <c>endpoint</c>. Each host uses one.</summary>
    public static readonly OperationTags Endpoints = new(100);

    /// <summary>Uses the value of the tag for a name: the name, or <see cref="Other"/> after the limit.</summary>
    public string Use(string name)
    {
        lock (_uses)
        {
            if (!_uses.TryGetValue(name, out var count) && _uses.Count == limit)
                return Other;
            _uses[name] = count + 1;
            return name;
        }
    }

    /// <summary>Ends a <see cref="Use"/>. Without uses, a value no longer counts.</summary>
    public void Release(string value)
    {
        lock (_uses)
        {
            if (!_uses.TryGetValue(value, out var count))
                return; // Other
            if (count > 1)
                _uses[value] = count - 1;
            else
                _uses.Remove(value);
        }
    }
}

/// <summary>An operation that is measured and traced.</summary>
internal enum OperationKind
{
    /// <summary>Sends a request and waits for its reply.</summary>
    Request,

    /// <summary>Handles a request.</summary>
    Reply,

    /// <summary>Sends an event.</summary>
    Send,

    /// <summary>Handles an event.</summary>
    Process,
}
