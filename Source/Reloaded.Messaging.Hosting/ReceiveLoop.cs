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
            host.ReportFailure(peer, 0, e); // there should be none; but a peer that nobody receives from must not stay
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
    private async ValueTask EnqueueAsync(PumpQueue pump, PackedMessage message, MessageContext context)
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

    private DisconnectReason? Handle(ReadOnlySpan<byte> message)
    {
        var exceeded = peer.Traffic.Exceeds(message.Length);
        if (exceeded is not null && (peer.Fifo is not null || host.Options.Limits.OverflowAction == OverflowAction.Disconnect))
            return exceeded;
        if (MessageHeader.TryRead(message, out var header, out var size) != HeaderStatus.Ok)
            return _connection.CountMalformed();

        var payload = message.Slice(size);
        if (exceeded is { } rate)
            return HandleOverRate(rate, in header, payload);
        if (peer.Fifo is { } fifo)
            return HandlePlain(fifo, message, in header, payload);
        switch (header.Kind)
        {
            case MessageKind.Reply or MessageKind.Fault:
                peer.Requests.End(header.CorrelationId, in header, payload);
                return null;
            case MessageKind.Control:
                return HandleControl(in header, payload);
            default:
                return Deliver(message, in header, payload, new MessageContext(peer, header.Kind, header.CorrelationId));
        }
    }

    /// <summary>Handles a message of a peer that has no correlation ids: what it is, is known from who waits for it and who handles it.</summary>
    private DisconnectReason? HandlePlain(FifoExchange fifo, ReadOnlySpan<byte> message, in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        if (header.Kind is not (MessageKind.Event or MessageKind.Fault))
            return _connection.CountMalformed();
        if (fifo.TryMatch(in header, out var id))
        {
            _isFirstMessage = false;
            peer.Requests.End(id, in header, payload);
            return null;
        }

        if (header.Kind == MessageKind.Fault)
            return _connection.CountMalformed(); // it was asked nothing
        if (_isFirstMessage && !host.Dispatcher.HasHandler(header.Type, out _))
            return DisconnectReason.NotAPeer;
        _isFirstMessage = false;
        var context = host.Answers(header.Type) ? new MessageContext(peer, MessageKind.Request, fifo.Begin()) : new MessageContext(peer, MessageKind.Event, 0);
        return Deliver(message, in header, payload, context);
    }

    private DisconnectReason? Deliver(ReadOnlySpan<byte> message, in MessageHeader header, ReadOnlySpan<byte> payload, MessageContext context)
    {
        if (!_connection.WasOpen && !host.Admits(_connection, in header))
            return DisconnectReason.NotAuthenticated;
        peer.Traffic.NoteMessage();
        if (host.Pumping is null)
            return Check(HandlerCall.Run(host, message, in header, context));
        if (context.Kind == MessageKind.Request)
            peer.Answering.Enqueue(context.CorrelationId);
        _forPump = (host.Resources.Writer.PackRaw(header, payload, host.Resources.HandlesSecrets), context);
        return null;
    }

    /// <summary>Handles a message over the peer's rate, where such messages are dropped.</summary>
    private DisconnectReason? HandleOverRate(DisconnectReason rate, in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        switch (header)
        {
            case { Kind: MessageKind.Reply or MessageKind.Fault } when peer.Requests.Unanswered.TryTake(header.CorrelationId, out var request):
                request.End(in header, payload); // this side asked for it: its own requests bound the replies
                return null;
            case { Kind: MessageKind.Control, Type: ControlCode.Goodbye }:
                return HandleControl(in header, payload);
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

    private DisconnectReason? HandleControl(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        if (header.IsCompressed)
            return _connection.CountMalformed();
        switch (header.Type)
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
                return _connection.Contracts.Add(payload, host.GetContracts());
            case > ControlCode.Cancel:
                host.Resources.Counters.CountUnknownControl();
                return null;
            default:
                return _connection.CountMalformed();
        }
    }
}
