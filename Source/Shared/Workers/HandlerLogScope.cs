using System.Collections;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The properties that all log entries of a handler have: the host, the type of the message, and its source.</summary>
internal sealed class HandlerLogScope(string host, string type, KeyValuePair<string, object?> source) : IReadOnlyList<KeyValuePair<string, object?>>
{
    public int Count => 3;

    public KeyValuePair<string, object?> this[int index] => index switch
    {
        0 => new("Host", host),
        1 => new("TypeName", type),
        2 => source,
        _ => throw new ArgumentOutOfRangeException(nameof(index)),
    };

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
    {
        for (var i = 0; i < Count; i++)
            yield return this[i];
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public override string ToString() => $"{type} of {source.Key} {source.Value}, host {host}";
}
