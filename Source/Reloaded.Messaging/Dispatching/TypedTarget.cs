using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A typed handler with any serializer.</summary>
internal sealed class TypedTarget<TMessage, T>(MessageDispatcher<T> dispatcher, MessageContract<TMessage> contract, MessageHandler<TMessage, T> handler)
    : Target<T>(dispatcher, contract.Type, contract)
{
    private readonly PayloadDecoder<TMessage> _decoder = new(contract, dispatcher.Limits);

    protected override Route<T> CreateRoute() => new(InvokeShort);

    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state)
    {
        if (!TryDecode(_decoder, in header, payload, in state, out var message, out var status))
            return status;
        handler(in message, ref state);
        _decoder.Return(message);
        return status;
    }

    /// <summary>Handles a plain short message, without parsing a header.</summary>
    private DispatchStatus InvokeShort(ReadOnlySpan<byte> message, ref T state)
    {
        TMessage? value;
        try
        {
            if (!_decoder.TryDeserialize(message.Slice(1), out value))
                return Dispatcher.Count(DispatchStatus.InvalidPayload);
        }
        catch (Exception e) when (Dispatcher.DecodeFailed is not null)
        {
            Dispatcher.DecodeFailed(Type, e, in state);
            return Dispatcher.Count(DispatchStatus.InvalidPayload);
        }

        handler(in value, ref state);
        _decoder.Return(value);
        return DispatchStatus.Handled;
    }
}
