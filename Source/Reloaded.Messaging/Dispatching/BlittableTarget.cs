using System;
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

    public override DirectEntry<T> Direct => new(1 + Unsafe.SizeOf<TMessage>(), InPlaceHandler.TryView(_handler) ?? InvokeCopy);

    public override RouteCall<T> Entry => Invoke; // counts by itself, so that the path to the handler has no status to check

    public override DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state)
    {
        if (message.Length != 1 + Unsafe.SizeOf<TMessage>())
            return InvokeOther(message, ref state);

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

    /// <summary>Handles a payload of another size: another version of the struct with fewer or more fields, or invalid bytes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private DispatchStatus InvokeOther(ReadOnlySpan<byte> message, ref T state)
    {
        var status = base.Invoke(message, ref state);
        return status == DispatchStatus.Handled ? status : Dispatcher.Count(status);
    }
}
