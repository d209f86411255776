namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Pending bytes that are written in the background until the instance is disposed.</summary>
internal interface IFlushed : IDisposable
{
    /// <returns><c>false</c> if there is no room for the message; otherwise, <c>true</c>.</returns>
    bool TryAppend(ReadOnlySpan<byte> message);
}
