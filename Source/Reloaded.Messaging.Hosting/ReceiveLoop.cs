using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Receives from one peer until it is gone: events and requests go to handlers, everything else is the connection's own.</summary>
/// <remarks>No exception of a handler, no bytes of a peer and no full queue end the loop but by ending the peer, with a reason.</remarks>
internal sealed class ReceiveLoop(MessageHost host, Peer peer)
{
    private readonly Connection _connection = peer.Connection;
    private readonly PeerQueue _pumped = new();
    private (PackedMessage Message, MessageContext Context)? _forPump;

    // Without a handshake nothing but its first message shows whether a client speaks to this server at all.
    private bool _isFirstMessage = peer.Fifo is not null && host is MessageServer;

    public async Task RunAsync()
    {
        try
        {
            DisconnectReason? reason = null;
            while (reason is null)
            {
                reason = await HandleReceivedAsync().ConfigureAwait(false);
                if (host.Resources.HandlesSecrets)
                    _connection.Reader.ClearRead();
                if (reason is not null)
                    break;
                _connection.KeepAlive.LastHeard = host.Resources.Clock.Now;
                if (!await _connection.Reader.FillAsync(_connection.Ended).ConfigureAwait(false))
                    reason = DisconnectReason.ConnectionLost;
                _connection.KeepAlive.LastHeard = long.MaxValue; // while its messages are handled, it is this side that takes its time
            }

            if (reason is DisconnectReason.ConnectionLost or DisconnectReason.Goodbye)
                _connection.End(reason.Value);
            else
                await _connection.CloseAsync(reason.Value, awaitsEnd: false).ConfigureAwait(false); // so that it hears why
        }
        catch (TransportClosedException e)
        {
            _connection.End(e.Reason.ToDisconnectReason());
        }
        catch (OperationCanceledException)
        {
            _connection.End(DisconnectReason.ConnectionLost);
        }
        catch (Exception e)
        {
            host.Events.ReportFailure(peer, 0, e); // there should be none; but a peer that nobody receives from must not stay
            _connection.End(DisconnectReason.ConnectionLost);
        }
        finally
        {
            _connection.Reader.Dispose();
        }
    }

    /// <summary>Handles the whole messages that are there. What they have sent is written at the end, in one go.</summary>
    private async ValueTask<DisconnectReason?> HandleReceivedAsync()
    {
        if (_isFirstMessage && HttpRequest.IsStart(_connection.Reader.Unread))
            return DisconnectReason.NotAPeer;
        _connection.Outbox.Cork();
        peer.Traffic.NoteBlock();
        try
        {
            while (_connection.IsConnected)
            {
                switch (_connection.Reader.TryRead(out var message))
                {
                    case FrameStatus.Ok:
                        if (Handle(message) is { } reason)
                            return reason;
                        break;
                    case FrameStatus.Incomplete:
                        return null;
                    case FrameStatus.TooLarge:
                        return DisconnectReason.FrameTooLarge;
                    default:
                        host.Resources.Counters.CountMalformed();
                        return DisconnectReason.Malformed;
                }

                if (_forPump is { } next)
                    await EnqueueAsync(host.Pumping!, next.Message, next.Context).ConfigureAwait(false);
            }

            return _connection.EndReason;
        }
        finally
        {
            _connection.Outbox.Uncork();
        }
    }

    /// <summary>Hands a message to the pump. While that has no room, this peer is not read from.</summary>
    private async ValueTask EnqueueAsync(HostPump pump, PackedMessage message, MessageContext context)
    {
        _forPump = null;
        var enqueuing = pump.EnqueueAsync(_pumped, message, context);
        if (enqueuing.IsCompletedSuccessfully)
            return;

        _connection.Outbox.Uncork(); // what was answered so far need not wait
        try
        {
            await enqueuing.ConfigureAwait(false);
        }
        finally
        {
            peer.Traffic.NoteBlock(); // it was this side that took its time
            _connection.Outbox.Cork();
        }
    }

    private DisconnectReason? Handle(ReadOnlySpan<byte> bytes)
    {
        var exceeded = peer.Traffic.Exceeds(bytes.Length);
        if (exceeded is not null && (peer.Fifo is not null || host.Options.Limits.OverflowAction == OverflowAction.Disconnect))
            return exceeded;
        if (!ReceivedMessage.TryRead(bytes, out var message))
            return _connection.CountMalformed();
        if (exceeded is { } rate)
            return HandleOverRate(rate, in message);
        if (peer.Fifo is { } fifo)
            return HandlePlain(fifo, in message);
        var header = message.Header;
        switch (header.Kind)
        {
            case MessageKind.Reply or MessageKind.Fault:
                peer.Requests.End(header.CorrelationId, in header, message.Payload);
                return null;
            case MessageKind.Control:
                return HandleControl(in message);
            default:
                return Deliver(in message, new MessageContext(peer, header.Kind, header.Type, header.CorrelationId));
        }
    }

    /// <summary>Handles a message of a peer that has no correlation ids: what it is, is known from who waits for it and who handles it.</summary>
    private DisconnectReason? HandlePlain(FifoExchange fifo, in ReceivedMessage message)
    {
        var header = message.Header;
        if (header.Kind is not (MessageKind.Event or MessageKind.Fault))
            return _connection.CountMalformed();
        if (fifo.TryMatch(in header, out var id))
        {
            _isFirstMessage = false;
            peer.Requests.End(id, in header, message.Payload);
            return null;
        }

        if (header.Kind == MessageKind.Fault)
            return _connection.CountMalformed(); // it was asked nothing
        if (_isFirstMessage && !host.Dispatcher.HasHandler(header.Type, out _))
            return DisconnectReason.NotAPeer;
        _isFirstMessage = false;
        return Deliver(in message, host.Contracts.Answers(header.Type)
            ? new MessageContext(peer, MessageKind.Request, header.Type, fifo.Begin())
            : new MessageContext(peer, MessageKind.Event, header.Type, 0));
    }

    /// <summary>Calls the handler of a message, or hands the message to the pump as it was received.</summary>
    private DisconnectReason? Deliver(in ReceivedMessage message, MessageContext context)
    {
        if (!_connection.WasOpen && !host.Login.Admits(_connection, message.Header))
            return DisconnectReason.NotAuthenticated;
        peer.Traffic.NoteMessage();
        if (host.Pumping is null)
            return Check(HandlerCall.Run(host, message.Bytes, context));
        if (context.Kind == MessageKind.Request)
            peer.Answering.Enqueue(context.CorrelationId);
        _forPump = (host.Resources.Writer.PackCopy(message.Bytes, host.Resources.HandlesSecrets), context);
        return null;
    }

    /// <summary>Handles a message over the peer's rate, where such messages are dropped.</summary>
    private DisconnectReason? HandleOverRate(DisconnectReason rate, in ReceivedMessage message)
    {
        var header = message.Header;
        switch (header)
        {
            case { Kind: MessageKind.Reply or MessageKind.Fault } when peer.Requests.Unanswered.TryTake(header.CorrelationId, out var request):
                request.End(in header, message.Payload); // this side asked for it: its own requests bound the replies
                return null;
            case { Kind: MessageKind.Control, Type: ControlCode.Goodbye }:
                return HandleControl(in message);
            case { Kind: MessageKind.Control, Type: ControlCode.Hello }:
                return rate; // without it, this side would go on with contracts that are out of date
            default:
                host.Resources.Counters.CountOverRate(rate);
                return null;
        }
    }

    private DisconnectReason? Check(HandlerOutcome outcome) => outcome switch
    {
        HandlerOutcome.Malformed => _connection.CountMalformed(),
        HandlerOutcome.TooManyRunning => DisconnectReason.TooManyRunningHandlers,
        _ => null,
    };

    private DisconnectReason? HandleControl(in ReceivedMessage message)
    {
        var payload = message.Payload;
        if (message.Header.IsCompressed)
            return _connection.CountMalformed();
        switch (message.Header.Type)
        {
            case ControlCode.Ping when payload.Length <= 64:
                peer.Replies.SendPong(payload);
                return null;
            case ControlCode.Pong when payload.Length == sizeof(long):
                _connection.KeepAlive.NotePong(BitConverter.ToInt64(payload));
                return null;
            case ControlCode.Goodbye:
                _connection.NoteGoodbye(payload);
                return DisconnectReason.Goodbye;
            case ControlCode.Cancel when UVarint.TryRead(payload, out var id, out _) == HeaderStatus.Ok:
                peer.Answering.Cancel(id);
                return null;
            case ControlCode.Hello:
                return _connection.Contracts.Add(payload, host.Contracts.GetAll());
            case > ControlCode.Cancel:
                host.Resources.Counters.CountUnknownControl();
                return null;
            default:
                return _connection.CountMalformed();
        }
    }
}
