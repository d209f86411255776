using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The entry for compressed short messages of a registered type.</summary>
internal sealed class ShortCompressedRoute<T>(MessageDispatcher<T> dispatcher, Target<T> target) : Route<T>(dispatcher)
{
    public override DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state) =>
        MessageHeader.TryRead(message, out var header, out var size) == HeaderStatus.Ok
            ? target.Handle(in header, message.Slice(size), ref state)
            : DispatchStatus.Malformed;

    public override ValueTask<DispatchStatus> InvokeAsync(ReadOnlySpan<byte> message, T state, CancellationToken cancellationToken) =>
        MessageHeader.TryRead(message, out var header, out var size) == HeaderStatus.Ok
            ? target.HandleAsync(in header, message.Slice(size), state, cancellationToken)
            : new ValueTask<DispatchStatus>(DispatchStatus.Malformed);
}
