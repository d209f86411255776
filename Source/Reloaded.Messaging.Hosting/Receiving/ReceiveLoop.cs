using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Receives from one peer until it disconnects. Passes events and requests to handlers, and other messages to the connection.</summary>
/// <remarks>Exceptions of handlers, invalid bytes of a peer and full queues end the loop only by disconnecting the peer with a reason.</remarks>
internal sealed class ReceiveLoop(MessageHost host, Peer peer)
{
    /// <summary>No reason to disconnect. A value of the enumeration is returned in a register. A nullable value is not.</summary>
    private const DisconnectReason None = (DisconnectReason)(-1);

    private readonly Connection _connection = peer.Connection;
    private readonly PeerQueue _pumped = new();
    private readonly HostTaps _taps = host.Taps;
    private readonly HostResources _resources = host.Resources;
    private readonly HostLimits _limits = host.Options.Limits;
    private readonly PeerRateLimit? _rate = peer.RateLimit;
    private readonly TraceReceiver? _traces = host.CarriesTraceContext ? new TraceReceiver(host.Resources.Counters) : null;
    private (PackedMessage Message, MessageContext Context)? _forPump;
    private int _unhandled; // 1 if a message for the pump was released
    private bool _hasEndedRequests;
    private bool _isFull; // true if as many handlers run as the limit allows
    private byte[]? _overMessageRate; // the faults of dropped requests, written once: a flood has many
    private byte[]? _overByteRate;

    public async Task RunAsync()
    {
        try
        {
            DisconnectReason? reason = null;
            while (reason is null)
            {
                reason = await HandleReceivedAsync().ConfigureAwait(false);
                if (_resources.HandlesSecrets)
                    _connection.Reader.ClearRead();
                if (reason is not null)
                    break;
                _connection.KeepAlive.LastHeard = _resources.Clock.Now;
                if (!await _connection.Reader.FillAsync(_connection.Ended).ConfigureAwait(false))
                    reason = DisconnectReason.ConnectionLost;
                _connection.KeepAlive.LastHeard = long.MaxValue; // the time in which this side handles messages does not count as silence of the peer
            }

            if (reason is DisconnectReason.ConnectionLost or DisconnectReason.Goodbye)
                _connection.End(reason.Value);
            else
                await _connection.CloseAsync(reason.Value, awaitsEnd: false).ConfigureAwait(false); // so that the peer receives the reason
        }
        catch (Exception e)
        {
            if (e is not (TransportClosedException or OperationCanceledException))
                host.Events.ReportFailure(peer, 0, e); // not expected; a peer from which no code receives must be disconnected
            _connection.End((e as TransportClosedException)?.Reason.ToDisconnectReason() ?? DisconnectReason.ConnectionLost);
        }
        finally
        {
            var unhandled = _unhandled + CountUnread();
            _connection.Reader.Dispose();
            host.NoteUnhandled(peer, unhandled);
            _connection.KeepAlive.LastHeard = 0; // nothing is handled any more
            host.Registry.NoteWork(peer);
        }
    }

    /// <summary>Reads the rest of the buffer, and counts its complete events and requests.</summary>
    private int CountUnread()
    {
        var count = 0;
        while (_connection.Reader.TryRead(out var bytes) == FrameStatus.Ok)
        {
            if (ReceivedMessage.TryRead(bytes, out var message) && message.Header is { Kind: MessageKind.Event or MessageKind.Request, Type: not LibraryTypes.TraceContext })
                count++;
        }

        return count;
    }

    /// <summary>Handles the complete messages in the buffer. Messages that their handlers sent are written together at the end.</summary>
    private async ValueTask<DisconnectReason?> HandleReceivedAsync()
    {
        _connection.Outbox.Cork();
        _resources.Watch(peer);
        _rate?.NoteBlock();
        try
        {
            var reason = HandleUntilPumped();
            while (reason == None && (_isFull || _forPump is not null))
            {
                if (_forPump is { } next)
                    await EnqueueAsync(host.Inbox!, next.Message, next.Context).ConfigureAwait(false);
                reason = peer.HasTooManyHandlers ? await WaitForHandlersAsync().ConfigureAwait(false) : None;
                _isFull = false;
                if (reason == None)
                    reason = HandleUntilPumped();
            }

            return reason == None ? null : reason;
        }
        finally
        {
            CompleteEnded();
            _connection.Outbox.Uncork();
        }
    }

    /// <summary>Handles messages while the buffer contains complete messages, but only up to a message for the pump, or until too many handlers run.</summary>
    /// <returns>The reason to disconnect the peer; <see cref="None"/> to continue.</returns>
    private DisconnectReason HandleUntilPumped()
    {
        var reader = _connection.Reader;
        while (_connection.IsConnected)
        {
            switch (reader.TryRead(out var message))
            {
                case FrameStatus.Ok:
                    var reason = Handle(message);
                    if (reason != None || _forPump is not null || _isFull)
                        return reason;
                    break;
                case FrameStatus.Incomplete:
                    return None;
                case FrameStatus.TooLarge:
                    return DisconnectReason.FrameTooLarge;
                default:
                    _resources.Counters.Add(HostCounter.MalformedMessages);
                    return DisconnectReason.Malformed;
            }
        }

        return _connection.EndReason ?? None;
    }

    /// <summary>Adds a message to the queue of the pump. While the queue is full, the host does not read from this peer.</summary>
    private async ValueTask EnqueueAsync(PumpInbox inbox, PackedMessage message, MessageContext context)
    {
        _forPump = null;
        var enqueuing = inbox.EnqueueAsync(_pumped, message, context);
        if (enqueuing.IsCompletedSuccessfully)
            return;

        _connection.Outbox.Uncork(); // earlier replies are written before the wait
        try
        {
            await enqueuing.ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            _unhandled = 1;
            throw;
        }
        finally
        {
            _rate?.NoteBlock(); // the delay was caused by this side
            _connection.Outbox.Cork();
        }
    }

    /// <summary>Waits until fewer handlers run than the limit, so that the peer is slowed down. Replies of the peer are not read meanwhile, and the handlers may wait for them.</summary>
    /// <returns>The reason to disconnect the peer if no handler ends; otherwise, <see cref="None"/>.</returns>
    private async ValueTask<DisconnectReason> WaitForHandlersAsync()
    {
        CompleteEnded();
        _connection.Outbox.Uncork(); // earlier replies are written before the wait
        var longest = TimeSpan.FromMilliseconds(Math.Min(host.Options.KeepAliveTimeout.TotalMilliseconds, int.MaxValue)); // a timer refuses a wait of 50 days
        try
        {
            while (peer.WaitForHandler() is { } ended)
                await ended.WaitAsync(longest, _connection.Ended).ConfigureAwait(false);
            return None;
        }
        catch (TimeoutException)
        {
            return DisconnectReason.TooManyRunningHandlers;
        }
        finally
        {
            _rate?.NoteBlock(); // the delay was caused by this side
            _connection.Outbox.Cork();
        }
    }

    private DisconnectReason Handle(ReadOnlySpan<byte> bytes)
    {
        var exceeded = _rate?.Exceeds(bytes.Length);
        if (exceeded is not null && _limits.OverflowAction == OverflowAction.Disconnect)
            return exceeded.Value;
        if (!ReceivedMessage.TryRead(bytes, out var message))
            return CountMalformed();
        if (_taps.IsActive)
        {
            CompleteEnded();
            _taps.NoteReceived(peer, in message);
        }

        if (exceeded is { } rate)
            return HandleOverRate(rate, in message);
        ref readonly var header = ref message.Header;
        switch (header.Kind)
        {
            case MessageKind.Reply or MessageKind.Fault:
                if (!TryEndRequest(in message))
                    host.RequestCounters.CountLateReply();
                return None;
            case MessageKind.Control:
                return HandleControl(in message);
            default:
                return _traces is null ? Deliver(in message, new MessageContext(peer, _connection.KnownAnnouncement, header.Kind, header.Type, header.CorrelationId)) : DeliverTraced(_traces, in message);
        }
    }

    /// <summary>Stores a trace context for the message after it, or delivers a message with the context before it.</summary>
    private DisconnectReason DeliverTraced(TraceReceiver traces, in ReceivedMessage message)
    {
        ref readonly var header = ref message.Header;
        if (header is { Type: LibraryTypes.TraceContext, Kind: MessageKind.Event })
        {
            traces.Add(in message);
            return None;
        }

        var trace = traces.Take(in header) is { } parent ? new HandlingTrace(parent) : null;
        return Deliver(in message, new MessageContext(peer, _connection.KnownAnnouncement, header.Kind, header.Type, header.CorrelationId, trace));
    }

    /// <summary>Ends the request to which a reply or a fault belongs. Its caller continues after the next <see cref="CompleteEnded"/>.</summary>
    /// <returns><c>false</c> if the request has already ended; otherwise, <c>true</c>.</returns>
    private bool TryEndRequest(in ReceivedMessage message)
    {
        var isEnded = peer.Requests.TryEnd(in message.Header, message.Payload, out var expected);
        if (expected != message.Header.Type)
            StreamTable.CloseUnread(peer, in message);
        _hasEndedRequests |= isEnded;
        return isEnded;
    }

    /// <summary>Lets the callers of the ended requests continue.</summary>
    private void CompleteEnded()
    {
        if (!_hasEndedRequests)
            return;
        _hasEndedRequests = false;
        peer.Requests.CompleteEnded();
    }

    /// <summary>Calls the handler of a message, or adds the received message to the queue of the pump.</summary>
    private DisconnectReason Deliver(in ReceivedMessage message, MessageContext context)
    {
        if (!_connection.WasOpen && !host.Login.Admits(_connection, message.Header))
            return DisconnectReason.NotAuthenticated;
        CompleteEnded(); // the handler may wait for their callers
        _rate?.NoteMessage();
        if (context.Kind == MessageKind.Request && host.IsStopping && !LibraryTypes.CallsNoCallback(context.Type))
        {
            context.SendFault(context.Type, FaultCode.Stopping, "The host is stopping and did not handle the request. Send it to another host, or after this one has started again.");
            return None;
        }

        if (host.Inbox is null || context is { Kind: MessageKind.Request, Type: LibraryTypes.ReportPull }) // a fault that needs no pump must not overtake the opening of its reports
            return Check(MessageHandling.Run(host, in message, context));
        if (context.Kind == MessageKind.Request)
            peer.Answering.Enqueue(context.CorrelationId);
        Volatile.Write(ref peer.ForPump, peer.ForPump + 1);
        _forPump = (_resources.Writer.PackCopy(message.Bytes, _resources.HandlesSecrets), context);
        return None;
    }

    /// <summary>Handles a message that exceeds the peer's rate, if such messages are dropped.</summary>
    private DisconnectReason HandleOverRate(DisconnectReason rate, in ReceivedMessage message)
    {
        _traces?.Drop();
        ref readonly var header = ref message.Header;
        switch (header)
        {
            case { Kind: MessageKind.Reply or MessageKind.Fault } when TryEndRequest(in message):
                return None; // the number of replies is limited by the requests of this side
            case { Kind: MessageKind.Control, Type: ControlCode.Goodbye or ControlCode.Cancel }:
                return HandleControl(in message); // a dropped cancellation would leave its handler running
            case { Kind: MessageKind.Control, Type: ControlCode.Hello }:
                return rate; // without these contracts, this side would continue with outdated contracts
            default:
                var isOfBytes = rate == DisconnectReason.TooManyBytes;
                _resources.Counters.Add(isOfBytes ? HostCounter.OverByteRate : HostCounter.OverMessageRate);
                if (header.Kind == MessageKind.Request) // a requester without a timeout would wait until the connection ends
                {
                    StreamTable.CloseDropped(peer, in message);
                    ref var fault = ref isOfBytes ? ref _overByteRate : ref _overMessageRate;
                    fault ??= Fault.Write(FaultCode.OverRate, $"{rate}: the limit is {(isOfBytes ? _limits.BytesPerSecond : _limits.MessagesPerSecond)} a second. Send it later.", int.MaxValue);
                    peer.Replies.SendFault(header.Type, header.CorrelationId, fault);
                }

                return None;
        }
    }

    private DisconnectReason CountMalformed() => _connection.CountMalformed() ?? None;

    private DisconnectReason Check(HandlerOutcome outcome)
    {
        _isFull = outcome == HandlerOutcome.TooManyRunning;
        return outcome == HandlerOutcome.Malformed ? CountMalformed() : None;
    }

    private DisconnectReason HandleControl(in ReceivedMessage message)
    {
        CompleteEnded();
        var payload = message.Payload;
        if (message.Header.IsCompressed)
            return CountMalformed();
        switch (message.Header.Type)
        {
            case ControlCode.Ping when payload.Length <= 64:
                peer.Replies.SendPong(payload);
                peer.PingIfDue(Environment.TickCount64, host.Options.PingInterval.TotalMilliseconds / 2); // in the same write, so that the peer need not be woken again soon
                return None;
            case ControlCode.Pong when payload.Length is ControlCode.PingSize or ControlCode.QuerySize:
                _connection.NotePong(payload);
                return None;
            case ControlCode.Goodbye:
                _connection.NoteGoodbye(payload);
                return DisconnectReason.Goodbye;
            case ControlCode.Cancel when UVarint.TryRead(payload, out var id, out _) == HeaderStatus.Ok:
                peer.Answering.Cancel(id);
                return None;
            case ControlCode.Hello:
                return _connection.Contracts.Add(payload.ToArray(), host.Contracts.GetAnnouncement(_connection)) ?? None;
            case > ControlCode.Cancel:
                _resources.Counters.Add(HostCounter.UnknownControlMessages);
                return None;
            default:
                return CountMalformed();
        }
    }
}
