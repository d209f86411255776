using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <content>Who may talk to it, as whom, and how much.</content>
public abstract partial class MessageHost
{
    /// <summary>The type of request that a stranger has to begin with; null where everyone is let in who shook hands.</summary>
    internal uint? CredentialsType { get; private set; }

    /// <summary>Lets nobody in whose credentials were not checked. By the types' declared contracts; in the callback of <see cref="ListenAsync"/>.</summary>
    /// <param name="handler">
    /// Checks a peer's first message, which has to be a request of this type. What it returns is the answer, and lets the peer in. What it throws keeps the
    /// peer out: it gets a fault, with the text of a <see cref="RequestFaultException"/>, and is disconnected with the same text.
    /// </param>
    /// <returns>The handle that removes it again; nobody gets in then.</returns>
    /// <remarks>
    /// Until it is let in a peer is in no group and gets no broadcast, and <see cref="PeerConnected"/> does not tell of it. Anything else that it sends
    /// disconnects it, and so does taking longer than <see cref="HostLimits.HandshakeTimeout"/>: it has to wait for the answer.
    /// </remarks>
    /// <exception cref="InvalidOperationException">There is one already, the type has a handler, or the server listens already: call it in the callback of <see cref="ListenAsync"/>.</exception>
    /// <exception cref="NotSupportedException">This is a client, which lets nobody in; or a <see cref="MessageEndpoint.LengthPrefix"/> is set, by which no message says that it is a request.</exception>
    public HandlerRegistration OnAuthenticate<TCredentials, TReply>(AsyncRequestHandler<TCredentials, TReply, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        if (this is MessageClient)
            throw new NotSupportedException("A client's one peer is the server, which it chose to connect to: there is nobody to let in. Have the server call OnAuthenticate, and check a server by MessageHostOptions.Token, MessageHostOptions.Protection or TlsOptions.");
        if (Resources.IsPlain)
            throw new NotSupportedException($"With LengthPrefix {Resources.Prefix} no message says that it is a request, as credentials have to be: nobody would get in. Leave MessageEndpoint.LengthPrefix out, or check them in a handler that calls DisconnectAsync.");
        if (this is MessageServer { IsStarted: true })
            throw new InvalidOperationException("The server listens already, and clients that connected before would be let in without credentials. Call OnAuthenticate in the callback of MessageHost.ListenAsync.");
        if (CredentialsType is not null)
            throw new InvalidOperationException($"Credentials are checked already: messages of type {CredentialsType}. A host has one way in.");
        var (contract, replyContract) = (MessageContract.GetDeclared<TCredentials>(), MessageContract.GetDeclared<TReply>());
        var registration = Register(contract, replyContract, () => Dispatcher.Register(contract, (TCredentials credentials, MessageContext context, CancellationToken _) =>
        {
            if (context.Peer.Connection.Login.TryCheck())
                return AuthenticateAsync(contract.Type, replyContract, handler, credentials, context);
            Handlers.RefuseRequest(contract.Type, ref context);
            return default;
        }));
        CredentialsType = contract.Type;
        return registration;
    }

    /// <summary>Whether a stranger's message may be handled: its first, if it is a request with credentials.</summary>
    internal bool Admits(Connection connection, in MessageHeader header) =>
        header.Kind == MessageKind.Request && header.Type == CredentialsType && connection.Login.TryReceive();

    /// <summary>Never throws: whatever the handler does lets the peer in or ends it.</summary>
    private async ValueTask AuthenticateAsync<TCredentials, TReply>(
        uint type,
        MessageContract<TReply> replyContract,
        AsyncRequestHandler<TCredentials, TReply, Peer> handler,
        TCredentials credentials,
        MessageContext context)
    {
        var peer = context.Peer;
        RequestFaultException refusal;
        var reason = DisconnectReason.NotAuthenticated;
        try
        {
            var reply = await handler(credentials, peer, peer.Connection.Ended).ConfigureAwait(false);
            if (TryAdmit(peer) is not { } full)
            {
                Announce(peer);
                context.Reply(replyContract, in reply, type);
                return;
            }

            reason = full;
            refusal = new RequestFaultException(FaultCode.HandlerFailed, Describe(full));
        }
        catch (RequestFaultException refused) when (!refused.IsRemote)
        {
            refusal = refused;
        }
        catch (Exception e)
        {
            if (peer.IsConnected)
                ReportFailure(peer, type, e);
            refusal = new RequestFaultException(FaultCode.HandlerFailed, "The credentials can't be checked.");
        }

        context.SendFault(type, refusal.Code, refusal.Message);
        await peer.Connection.CloseAsync(reason, awaitsEnd: true, refusal.Message).ConfigureAwait(false);
    }

    private static string Describe(DisconnectReason refusal) => refusal switch
    {
        DisconnectReason.TooManyPeers => "The server has as many peers as it accepts.",
        DisconnectReason.TooManyPeersFromAddress => "The server has as many peers from this address as it accepts.",
        DisconnectReason.TooManyUnauthenticated or DisconnectReason.TooManyUnauthenticatedFromAddress => "The server disconnected this login in favor of a newer connection. Try again.",
        _ => $"The connection ended while the credentials were checked: {refusal}.",
    };

    /// <summary>Ends peers that took too long to be let in, or that have been silent too long.</summary>
    private void CheckSession(Peer peer)
    {
        var connection = peer.Connection;
        if (!connection.WasOpen)
        {
            if (connection.Login.IsOverdue(Options.TimeProvider, Options.Limits.HandshakeTimeout))
                connection.EndAside(DisconnectReason.NotAuthenticated);
        }
        else if (Options.IdleTimeout is { } longest && connection.State == ConnectionState.Open && _connected.ContainsKey(peer.Id) && connection.KeepAlive.LastHeard != long.MaxValue && peer.Traffic.Idle > longest)
        {
            connection.CloseAside(DisconnectReason.Idle, "Nothing was sent for too long.");
        }
    }
}
