using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Counts messages and their bytes in two directions. Thread-safe.</summary>
internal sealed class TrafficCount
{
    private long _received;
    private long _receivedBytes;
    private long _sent;
    private long _sentBytes;

    public long Received => Interlocked.Read(ref _received);

    public long ReceivedBytes => Interlocked.Read(ref _receivedBytes);

    public long Sent => Interlocked.Read(ref _sent);

    public long SentBytes => Interlocked.Read(ref _sentBytes);

    public void Add(bool isSent, int bytes)
    {
        Interlocked.Increment(ref isSent ? ref _sent : ref _received);
        Interlocked.Add(ref isSent ? ref _sentBytes : ref _receivedBytes, bytes);
    }
}
