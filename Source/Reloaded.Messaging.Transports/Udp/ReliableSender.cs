using System;
using System.Buffers.Binary;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Sends the frames that must arrive: the first and last frames of a connection. Sends segments, at most 32 at a time, and resends each segment until it is acknowledged.</summary>
/// <remarks>A send completes when all of its segments are acknowledged. No other frames are sent during that time, so frames after the hello find an existing peer.</remarks>
internal sealed class ReliableSender(TimeProvider time)
{
    public const int Window = 32;
    public const int HeaderSize = sizeof(uint) + 1;

    private static readonly TimeSpan s_firstWait = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_longestWait = TimeSpan.FromMilliseconds(500);

    private readonly object _gate = new();
    private uint _next;
    private uint _missing;
    private uint _arrived;
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Processes an acknowledgement.</summary>
    public void Acknowledge(uint missing, uint arrived)
    {
        TaskCompletionSource changed;
        lock (_gate)
        {
            var ahead = unchecked(missing - _missing);
            if (ahead > _next - _missing || (ahead == 0 && (arrived | _arrived) == _arrived))
                return; // the acknowledgement is old or a duplicate, or names segments that were never sent
            _arrived = ahead == 0 ? _arrived | arrived : arrived;
            _missing = missing;
            (changed, _changed) = (_changed, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        }

        changed.SetResult();
    }

    /// <summary>Sends frames. Completes when the frames have arrived.</summary>
    /// <param name="frames">Whole frames.</param>
    /// <param name="segmentSize">The size of a segment without its header, in bytes.</param>
    /// <param name="send">Sends one segment, including its header.</param>
    /// <param name="cancellationToken">Cancels the send.</param>
    public async Task SendAsync(ReadOnlyMemory<byte> frames, int segmentSize, Action<ReadOnlyMemory<byte>> send, CancellationToken cancellationToken)
    {
        var count = (uint)((frames.Length + segmentSize - 1) / segmentSize);
        uint first;
        lock (_gate)
        {
            first = _next;
            _next = unchecked(_next + count);
        }

        var segment = new byte[HeaderSize + segmentSize];
        var (sent, again, wait) = (0u, false, s_firstWait);
        while (true)
        {
            uint from, arrived;
            Task changed;
            lock (_gate)
                (from, arrived, changed) = (unchecked(_missing - first), _arrived, _changed.Task);
            if (from >= count)
                return;
            var end = Math.Min(count, from + Window);
            for (var i = from; i < end; i++)
            {
                if (i < sent && (!again || (arrived >> (int)(i - from) & 1) != 0))
                    continue;
                SendOne(i);
            }

            sent = Math.Max(sent, end);
            again = await Task.WhenAny(changed, Task.Delay(wait, time, cancellationToken)).ConfigureAwait(false) != changed;
            cancellationToken.ThrowIfCancellationRequested();
            if (again)
                wait = wait + wait < s_longestWait ? wait + wait : s_longestWait;
        }

        void SendOne(uint i)
        {
            var part = frames.Span.Slice((int)i * segmentSize);
            var isLast = part.Length <= segmentSize;
            part = isLast ? part : part.Slice(0, segmentSize);
            BinaryPrimitives.WriteUInt32LittleEndian(segment, unchecked(first + i));
            segment[sizeof(uint)] = isLast ? (byte)0 : (byte)1;
            part.CopyTo(segment.AsSpan(HeaderSize));
            send(segment.AsMemory(0, HeaderSize + part.Length));
        }
    }
}
