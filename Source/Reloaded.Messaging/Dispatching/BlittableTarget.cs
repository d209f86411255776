using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A typed handler of a blittable struct: its plain short messages reach the handler without the serializer.</summary>
internal sealed class BlittableTarget<TMessage, T>(MessageDispatcher<T> dispatcher, MessageContract<TMessage> contract, MessageHandler<TMessage, T> handler)
    : Target<T>(dispatcher, contract.Type, contract)
{
    private readonly MessageHandler<TMessage, T> _handler = handler;
    private readonly PayloadDecoder<TMessage> _decoder = new(contract, dispatcher.Limits);

    protected override Route<T> CreateRoute() => new(1 + Unsafe.SizeOf<TMessage>(), InPlaceHandler.TryView(_handler) ?? InvokeCopy, Invoke);

    /// <summary>Handles a plain short message, whose length is exact unless the direct calls are off.</summary>
    private DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state)
    {
        if (message.Length != 1 + Unsafe.SizeOf<TMessage>())
            return InvokeAndCount(message, ref state); // another version of the struct with fewer or more fields, or invalid bytes

        InvokeCopy(ref Unsafe.Add(ref MemoryMarshal.GetReference(message), 1), ref state);
        return DispatchStatus.Handled;
    }

    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state)
    {
        if (_decoder.TryDecode(in header, payload, out var message, out var status))
            _handler(in message, ref state);
        return status;
    }

    [SkipLocalsInit] // the value is overwritten completely
    private void InvokeCopy(ref byte payload, ref T state)
    {
        var value = Unsafe.ReadUnaligned<TMessage>(ref payload);
        _handler(in value, ref state);
    }
}
