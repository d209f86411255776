using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>The number of messages that were not sent, by status. Thread-safe.</summary>
internal sealed class SendCounts
{
    private readonly long[] _counts = new long[Enum.GetValues<SendStatus>().Length];

    public long Get(SendStatus status) => Volatile.Read(ref _counts[(int)status]);

    public void Add(SendStatus status) => Interlocked.Increment(ref _counts[(int)status]);
}
