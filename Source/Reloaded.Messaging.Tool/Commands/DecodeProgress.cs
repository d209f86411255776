namespace Reloaded.Messaging.Tool;

/// <summary>Shows how much of an input was decoded, and ends the command when it is interrupted.</summary>
/// <param name="line">The line that shows it. It is removed at the end.</param>
/// <param name="dump">Counts the messages.</param>
/// <param name="size">The size of the input in bytes.</param>
/// <param name="cancellationToken">Interrupts the command.</param>
internal sealed class DecodeProgress(ProgressLine line, Dump dump, long size, CancellationToken cancellationToken) : IDisposable
{
    private long _position;

    /// <summary>Notes how much was read.</summary>
    /// <param name="position">The number of bytes.</param>
    /// <exception cref="ToolException">Thrown when the command was interrupted.</exception>
    public void Reach(long position)
    {
        _position = position;
        if (cancellationToken.IsCancellationRequested)
            throw ToolException.Interrupted($"after it had {Describe()}");
        line.Show(Describe);
    }

    /// <summary>Returns the items, and notes before each one how much was read.</summary>
    public IEnumerable<T> Follow<T>(IEnumerable<T> items, Func<T, long> locate)
    {
        foreach (var item in items)
        {
            Reach(locate(item));
            yield return item;
        }
    }

    public void Dispose() => line.Dispose();

    private string Describe() => FormattableString.Invariant($"decoded {_position * 100 / Math.Max(1, size)} % of the input, {ToolConsole.Count(dump.Messages, "message")}");
}
