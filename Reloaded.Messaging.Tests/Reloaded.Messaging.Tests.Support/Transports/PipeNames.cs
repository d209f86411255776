using System.Collections.Concurrent;
using System.IO;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Pipes that nobody else uses, and whose locks are removed at the end.</summary>
public sealed class PipeNames : IDisposable
{
    private static int s_last;

    private readonly ConcurrentBag<MessageEndpoint> _made = [];

    public MessageEndpoint Next()
    {
        var endpoint = MessageEndpoint.Pipe($"test-{Environment.ProcessId}-{Interlocked.Increment(ref s_last)}");
        _made.Add(endpoint);
        return endpoint;
    }

    public void Dispose()
    {
        if (OperatingSystem.IsWindows())
            return; // no files there
        foreach (var endpoint in _made)
        {
            File.Delete(endpoint.Address);
            File.Delete(endpoint.Address + ".lock");
        }
    }
}
