using System.IO;

namespace Reloaded.Messaging;

/// <summary>Connects two hosts over streams that the program has opened. It has one connection.</summary>
internal sealed class StreamTransport(Stream input, Stream output) : Transport
{
    private int _isUsed;

    public override string Scheme => "stream";

    public override bool IsLocal => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) =>
        new(new StreamListener(address, Open(address)));

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        new(Open(address));

    private StreamChannel Open(TransportAddress address) => Interlocked.Exchange(ref _isUsed, 1) == 0
        ? new StreamChannel(input, output, address.ToString())
        : throw new InvalidOperationException("A host has used this stream already. Open another stream, and pass it to MessageEndpoint.Over.");
}

/// <summary>Accepts the one connection of a stream.</summary>
internal sealed class StreamListener(TransportAddress address, StreamChannel channel) : TransportListener
{
    private readonly TaskCompletionSource<TransportChannel?> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private StreamChannel? _waiting = channel;

    public override TransportAddress Address => address;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
        Interlocked.Exchange(ref _waiting, null) ?? await _ended.Task.WaitAsync(cancellationToken).ConfigureAwait(false);

    public override ValueTask DisposeAsync()
    {
        _ended.TrySetResult(null);
        return Interlocked.Exchange(ref _waiting, null)?.DisposeAsync() ?? default;
    }
}
