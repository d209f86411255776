using System.Runtime.ExceptionServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Checks the credentials of connections before they become peers.</summary>
internal sealed class LoginGate(MessageHost host)
{
    /// <summary>The message type of the credentials, which a connection must send first; <c>null</c> if the host has no login.</summary>
    public uint? CredentialsType => host.Handlers.CredentialsType;

    /// <summary>Registers the handler that checks credentials.</summary>
    public HandlerRegistration Register<TCredentials, TReply>(AsyncRequestHandler<TCredentials, TReply, Peer> handler)
    {
        if (CredentialsType is not null)
            throw new InvalidOperationException($"This host already checks credentials of message type {CredentialsType}; a host has one such handler. Check all kinds of credentials in it.");
        var (contract, replyContract) = (MessageContract.GetDeclared<TCredentials>(), MessageContract.GetDeclared<TReply>());
        var registration = host.Contracts.Register(contract, replyContract, () => host.Dispatcher.Register(contract, (TCredentials credentials, MessageContext context, CancellationToken _) =>
        {
            if (context.Peer.Connection.Login.TryCheck())
                return AuthenticateAsync(contract.Type, replyContract, handler, credentials, context);
            host.Handlers.RefuseRequest(contract.Type, ref context);
            return default;
        }));
        host.Handlers.CredentialsType = contract.Type;
        return registration;
    }

    /// <summary>Returns whether a message of an unauthenticated connection may be handled: only its first message, and only if it is a request with credentials.</summary>
    public bool Admits(Connection connection, in MessageHeader header) =>
        header.Kind == MessageKind.Request && header.Type == CredentialsType && connection.Login.TryReceive();

    /// <summary>Calls the handler, and then accepts or disconnects the peer. Does not throw.</summary>
    private async ValueTask AuthenticateAsync<TCredentials, TReply>(
        uint type,
        MessageContract<TReply> replyContract,
        AsyncRequestHandler<TCredentials, TReply, Peer> handler,
        TCredentials credentials,
        MessageContext context)
    {
        var peer = context.Peer;
        (int Code, string Text) refusal;
        var reason = DisconnectReason.NotAuthenticated;
        try
        {
            var reply = await handler(credentials, peer, peer.Connection.Ended).ConfigureAwait(false);
            if (host.TryAdmit(peer) is not { } full)
            {
                if (peer.Replies.TryPack(replyContract, in reply, context.CorrelationId, out var packed) is { } failure)
                    ExceptionDispatchInfo.Throw(failure); // a client that gets no reply is not accepted
                host.Registry.Announce(peer);
                peer.Replies.Send(packed, replyContract.IsSecret);
                return;
            }

            reason = full;
            refusal = (FaultCode.HandlerFailed, full == DisconnectReason.Banned ? peer.DescribeBan() ?? "" : Describe(full));
        }
        catch (RequestFaultException refused) when (!refused.IsRemote)
        {
            refusal = (refused.Code, refused.Message);
        }
        catch (Exception e)
        {
            if (peer.IsConnected)
                host.Events.ReportFailure(peer, type, e);
            refusal = (FaultCode.HandlerFailed, "The credentials could not be checked.");
        }

        context.SendFault(type, refusal.Code, refusal.Text);
        await peer.Connection.CloseAsync(reason, awaitsEnd: true, refusal.Text).ConfigureAwait(false);
    }

    private static string Describe(DisconnectReason refusal) => refusal switch
    {
        DisconnectReason.TooManyPeers => "The server has reached its maximum number of peers.",
        DisconnectReason.TooManyPeersFromAddress => "The server has reached its maximum number of peers from this address.",
        DisconnectReason.TooManyUnauthenticated or DisconnectReason.TooManyUnauthenticatedFromAddress => "The server disconnected this login in favor of a newer connection. Try again.",
        _ => $"The connection ended while the credentials were checked: {refusal}.",
    };
}
