using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Instrumented;

/// <summary>A transport of the program, over the transport within the process. Each member checks the held locks.</summary>
/// <param name="usesDelivery">The value of <see cref="TransportChannel.UsesDelivery"/>.</param>
internal sealed class CheckingTransport(bool usesDelivery = false) : Transport
{
    private volatile TaskCompletionSource? _held;

    public override string Scheme => Checked("Transport.Scheme", "checking");

    public override bool IsLocal => Checked("Transport.IsLocal", true);

    /// <summary>Makes each further send wait.</summary>
    public void Hold() => _held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

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
        return new Channel(this, await MessageEndpoint.InProcess(address.Name).ConnectAsync(context, cancellationToken));
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
            return await inner.AcceptAsync(cancellationToken) is { } channel ? new Channel(transport, channel) : null;
        }

        public override ValueTask DisposeAsync() => Checked("TransportListener.DisposeAsync", inner).DisposeAsync();
    }

    private sealed class Channel(CheckingTransport transport, TransportChannel inner) : TransportChannel
    {
        public override string RemoteName => Checked("TransportChannel.RemoteName", inner.RemoteName);

        public override string RemoteIdentity => Checked("TransportChannel.RemoteIdentity", "a machine");

        public override int MaxMessageSize => Checked("TransportChannel.MaxMessageSize", inner.MaxMessageSize);

        public override int MaxReliableMessageSize => Checked("TransportChannel.MaxReliableMessageSize", inner.MaxReliableMessageSize);

        public override bool UsesDelivery => Checked("TransportChannel.UsesDelivery", transport.UsesDelivery);

        public override long? SentBytes => Checked("TransportChannel.SentBytes", inner.SentBytes);

        public override bool HasUnread => Checked("TransportChannel.HasUnread", inner.HasUnread);

        public override int? LostFrames => Checked("TransportChannel.LostFrames", inner.LostFrames);

        public override PathStatistics? Path => Checked("TransportChannel.Path", inner.Path);

        public override long OutdatedDatagrams => Checked("TransportChannel.OutdatedDatagrams", inner.OutdatedDatagrams);

        public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
        {
            HeldLocks.Check("TransportChannel.SendAsync");
            if (transport._held is { } held)
            {
                HeldLocks.Check("held send");
                await held.Task.WaitAsync(cancellationToken);
            }

            await inner.SendAsync(frames, delivery, cancellationToken);
        }

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
            Checked("TransportChannel.ReceiveAsync", inner).ReceiveAsync(buffer, cancellationToken);

        public override void Abort() => Checked("TransportChannel.Abort", inner).Abort();

        public override ValueTask DisposeAsync() => Checked("TransportChannel.DisposeAsync", inner).DisposeAsync();
    }

    private bool UsesDelivery => usesDelivery;
}
