using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>The number of messages that were not sent, by status. Thread-safe.</summary>
internal sealed class SendCounts
{
    private static readonly string[] s_names = Enum.GetNames<SendStatus>();

    private readonly long[] _counts = new long[s_names.Length];

    public long Get(SendStatus status) => Volatile.Read(ref _counts[(int)status]);

    public void Add(SendStatus status) => Interlocked.Increment(ref _counts[(int)status]);

    /// <summary>Also counts the message in the meter of the library. Called by the host, once for each message.</summary>
    public void AddToMeter(SendStatus status)
    {
        Add(status);
        MessagingMetrics.CountUnsent(s_names[(int)status]);
    }
}
