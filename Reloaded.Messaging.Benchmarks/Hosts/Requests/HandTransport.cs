using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts.Requests;

/// <summary>One connection over two <see cref="HandPipe"/> objects: <paramref name="toServer"/> and <paramref name="toClient"/>.</summary>
internal sealed class HandTransport(HandPipe toServer, HandPipe toClient) : Transport
{
    public override string Scheme => "hand";

    public override bool IsLocal => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => new(new Listener(address, new Channel(toServer, toClient)));

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) => new(new Channel(toClient, toServer));

    private sealed class Listener(TransportAddress address, TransportChannel channel) : TransportListener
    {
        private readonly TaskCompletionSource<TransportChannel?> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private TransportChannel? _waiting = channel;

        public override TransportAddress Address => address;

        public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) => Interlocked.Exchange(ref _waiting, null) ?? await _ended.Task.WaitAsync(cancellationToken);

        public override ValueTask DisposeAsync()
        {
            _ended.TrySetResult(null);
            return default;
        }
    }

    private sealed class Channel(HandPipe input, HandPipe output) : TransportChannel
    {
        public override string RemoteName => "the other end";

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
        {
            output.Write(frames);
            return default;
        }

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => input.ReadAsync(buffer);

        public override void Abort() => input.Close();

        public override ValueTask DisposeAsync()
        {
            Abort();
            return default;
        }
    }
}
