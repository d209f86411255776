using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.Channels;
using Reloaded.Messaging.Hosting.Handshake;
using Reloaded.Messaging.Hosting.Peers;

namespace Reloaded.Messaging.Hosting;

/// <summary>Talks to one server. Made by <see cref="MessageHost.ConnectAsync"/>.</summary>
public sealed class MessageClient : MessageHost
{
    private readonly Endpoint _endpoint;

    internal MessageClient(Endpoint endpoint, MessageChannel channel, ReadOnlyMemory<byte> token, HostOptions options)
        : base(options)
    {
        _endpoint = endpoint;
        Token = token;
        Server = AddPeer(channel);
    }

    /// <summary>The server.</summary>
    public Peer Server { get; }

    internal override ReadOnlyMemory<byte> Token { get; }

    /// <inheritdoc cref="Peer.Send{T}(in T)"/>
    public SendStatus Send<T>(in T message) => Server.Send(in message);

    /// <inheritdoc cref="Peer.SendAsync{T}(T, CancellationToken)"/>
    public ValueTask<SendStatus> SendAsync<T>(T message, CancellationToken cancellationToken = default) => Server.SendAsync(message, cancellationToken);

    /// <inheritdoc cref="Peer.RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Server.RequestAsync<TRequest, TReply>(in request, timeout, cancellationToken);

    /// <inheritdoc cref="Peer.TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Server.TryRequestAsync<TRequest, TReply>(in request, timeout, cancellationToken);

    internal async Task StartAsync(CancellationToken cancellationToken)
    {
        if (await StartPeerAsync(Server).WaitAsync(cancellationToken).ConfigureAwait(false) is { } refused)
            throw new HandshakeException(refused, _endpoint.ToString());
    }
}
