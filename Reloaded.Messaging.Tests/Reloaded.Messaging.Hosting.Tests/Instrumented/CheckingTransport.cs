using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Instrumented;

/// <summary>A transport of the program, over the transport within the process. Each member checks the held locks.</summary>
/// <param name="isDatagrams">Whether the channels are datagram channels.</param>
internal sealed class CheckingTransport(bool isDatagrams = false) : Transport
{
    private volatile TaskCompletionSource? _held;
    private volatile int _heldSize;

    public override string Scheme => Checked("Transport.Scheme", "checking");

    public override bool IsLocal => Checked("Transport.IsLocal", true);

    /// <summary>Makes each further send wait.</summary>
    /// <param name="size">The size from which a send is held, in bytes: a ping is not, for example.</param>
    public void Hold(int size = 0)
    {
        _heldSize = size;
        _held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
    }

    /// <summary>Lets the sends continue.</summary>
    public void Release()
    {
        var held = _held;
        _held = null;
        held!.SetResult();
    }

    public override async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        HeldLocks.Check("Transport.ListenAsync");
        return new Listener(this, address, await MessageEndpoint.InProcess(address.Name).ListenAsync(context));
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        HeldLocks.Check("Transport.ConnectAsync");
        return Wrap(await MessageEndpoint.InProcess(address.Name).ConnectAsync(context, cancellationToken));
    }

    private static T Checked<T>(string member, T value)
    {
        HeldLocks.Check(member);
        return value;
    }

    private sealed class Listener(CheckingTransport transport, TransportAddress address, TransportListener inner) : TransportListener
    {
        public override TransportAddress Address => Checked("TransportListener.Address", address);

        public override ReadOnlyMemory<byte> Token => Checked("TransportListener.Token", inner.Token);

        public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
        {
            HeldLocks.Check("TransportListener.AcceptAsync");
            return await inner.AcceptAsync(cancellationToken) is { } channel ? transport.Wrap(channel) : null;
        }

        public override ValueTask DisposeAsync() => Checked("TransportListener.DisposeAsync", inner).DisposeAsync();
    }

    private TransportChannel Wrap(TransportChannel inner) => isDatagrams ? new Datagrams(this, inner) : new Channel(this, inner);

    private async ValueTask SendAsync(TransportChannel inner, ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        HeldLocks.Check(isDatagrams ? "DatagramChannel.SendAsync" : "TransportChannel.SendAsync");
        if (_held is { } held && frames.Length >= _heldSize)
        {
            HeldLocks.Check("held send");
            await held.Task.WaitAsync(cancellationToken);
        }

        await inner.SendAsync(frames, cancellationToken);
    }

    private sealed class Channel(CheckingTransport transport, TransportChannel inner) : TransportChannel
    {
        public override string RemoteName => Checked("TransportChannel.RemoteName", inner.RemoteName);

        public override string RemoteIdentity => Checked("TransportChannel.RemoteIdentity", "a machine");

        public override long? SentBytes => Checked("TransportChannel.SentBytes", inner.SentBytes);

        public override bool HasUnread => Checked("TransportChannel.HasUnread", inner.HasUnread);

        public override int LostFrames => Checked("TransportChannel.LostFrames", inner.LostFrames);

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => transport.SendAsync(inner, frames, cancellationToken);

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
            Checked("TransportChannel.ReceiveAsync", inner).ReceiveAsync(buffer, cancellationToken);

        public override void Abort() => Checked("TransportChannel.Abort", inner).Abort();

        public override ValueTask DisposeAsync() => Checked("TransportChannel.DisposeAsync", inner).DisposeAsync();
    }

    private sealed class Datagrams(CheckingTransport transport, TransportChannel inner) : DatagramChannel
    {
        private readonly List<byte> _queued = [];
        private readonly SemaphoreSlim _sending = new(1, 1);

        public override string RemoteName => Checked("DatagramChannel.RemoteName", inner.RemoteName);

        public override string RemoteIdentity => Checked("DatagramChannel.RemoteIdentity", "a machine");

        public override int MaxMessageSize => Checked("DatagramChannel.MaxMessageSize", int.MaxValue);

        public override int MaxReliableMessageSize => Checked("DatagramChannel.MaxReliableMessageSize", int.MaxValue);

        public override long? SentBytes => Checked("DatagramChannel.SentBytes", inner.SentBytes);

        public override bool HasUnread => Checked("DatagramChannel.HasUnread", inner.HasUnread);

        public override int LostFrames => Checked("DatagramChannel.LostFrames", inner.LostFrames);

        public override PathStatistics? Path => Checked<PathStatistics?>("DatagramChannel.Path", null);

        public override long OutdatedDatagrams => Checked("DatagramChannel.OutdatedDatagrams", 0);

        public override int PendingBytes
        {
            get
            {
                HeldLocks.Check("DatagramChannel.PendingBytes");
                lock (_queued)
                    return _queued.Count;
            }
        }

        public override bool TryQueue(ReadOnlySpan<byte> message, Delivery delivery, int maxPending, ReadOnlySpan<byte> before = default)
        {
            HeldLocks.Check("DatagramChannel.TryQueue");
            lock (_queued)
            {
                Span<byte> length = stackalloc byte[UVarint.MaxSize];
                _queued.AddRange(length.Slice(0, UVarint.Write(length, (uint)message.Length)));
                _queued.AddRange(message);
            }

            return true;
        }

        public override bool HasRoom(int size, Delivery delivery, int maxPending) => Checked("DatagramChannel.HasRoom", true);

        public override void Flush()
        {
            HeldLocks.Check("DatagramChannel.Flush");
            _ = FlushAsync();
        }

        public override async Task FlushAsync()
        {
            HeldLocks.Check("DatagramChannel.FlushAsync");
            await _sending.WaitAsync();
            byte[] frames;
            lock (_queued)
                frames = [.. _queued];
            try
            {
                if (frames.Length > 0)
                    await transport.SendAsync(inner, frames, default);
            }
            catch (TransportClosedException)
            {
                return; // the receiver sees the end too
            }
            finally
            {
                lock (_queued)
                    _queued.RemoveRange(0, frames.Length);
                _sending.Release();
            }

            BytesLeft?.Invoke();
        }

        public override void Seal(ReadOnlySpan<byte> last)
        {
            HeldLocks.Check("DatagramChannel.Seal");
            TryQueue(last, Delivery.ReliableOrdered, int.MaxValue);
        }

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
            Checked("DatagramChannel.ReceiveAsync", inner).ReceiveAsync(buffer, cancellationToken);

        public override void Abort() => Checked("DatagramChannel.Abort", inner).Abort();

        public override ValueTask DisposeAsync() => Checked("DatagramChannel.DisposeAsync", inner).DisposeAsync();
    }
}
