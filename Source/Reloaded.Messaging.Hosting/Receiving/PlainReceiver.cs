using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Finds the kinds of the messages of a peer without correlation ids, from the pending requests and the registered handlers. Used by one receive loop.</summary>
internal sealed class PlainReceiver(MessageHost host, FifoExchange fifo)
{
    // Without a handshake, only the first message shows whether the client uses the protocol of this server.
    private bool _isFirstMessage = host.IsServer;

    /// <summary>Whether the first bytes are those of an HTTP request.</summary>
    public bool IsHttp(ReadOnlySpan<byte> received) => _isFirstMessage && HttpRequest.IsStart(received);

    /// <summary>Finds the kind of a message.</summary>
    /// <param name="header">The header. Its kind is an event or a fault in a valid message.</param>
    /// <param name="kind">The kind of a message for a handler.</param>
    /// <param name="id">The id of the request that a reply ends, or the number of a request for a handler.</param>
    public PlainMessage Sort(in MessageHeader header, out MessageKind kind, out uint id)
    {
        (kind, id) = (MessageKind.Event, 0);
        if (header.Kind is not (MessageKind.Event or MessageKind.Fault))
            return PlainMessage.Malformed;
        if (fifo.TryMatch(in header, out id))
        {
            _isFirstMessage = false;
            return PlainMessage.Reply;
        }

        if (header.Kind == MessageKind.Fault)
            return PlainMessage.Malformed; // this side sent no request to which it could reply
        if (_isFirstMessage && !host.Dispatcher.HasHandler(header.Type, out _))
            return PlainMessage.NotOfAPeer;
        _isFirstMessage = false;
        if (host.Contracts.Answers(header.Type))
            (kind, id) = (MessageKind.Request, fifo.Begin());
        return PlainMessage.ForHandler;
    }
}

/// <summary>A message of a peer without correlation ids.</summary>
internal enum PlainMessage
{
    /// <summary>A message that no peer sends at this place.</summary>
    Malformed,

    /// <summary>A reply or a fault to a request of this side.</summary>
    Reply,

    /// <summary>An event, or a request of the remote side.</summary>
    ForHandler,

    /// <summary>A first message that has no handler: the client does not use the protocol of this server.</summary>
    NotOfAPeer,
}
