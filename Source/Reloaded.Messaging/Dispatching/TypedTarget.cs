using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A typed handler behind any serializer.</summary>
internal sealed class TypedTarget<TMessage, T>(MessageDispatcher<T> dispatcher, MessageContract<TMessage> contract, MessageHandler<TMessage, T> handler)
    : Target<T>(dispatcher, contract.Type, contract)
{
    private readonly PayloadDecoder<TMessage> _decoder = new(contract, dispatcher.Limits);

    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state)
    {
        if (!_decoder.TryDecode(in header, payload, out var message, out var status))
            return status;
        handler(in message, ref state);
        _decoder.Return(message);
        return status;
    }
}
