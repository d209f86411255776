using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The entry for messages whose target does not follow from the first byte: the extended form, and types without a handler.</summary>
internal sealed class LookupRoute<T>(MessageDispatcher<T> dispatcher) : Route<T>(dispatcher)
{
    /// <summary>The entry for a short, plain header whose type has no handler. Only a fallback needs the header.</summary>
    public RouteCall<T> UnregisteredEntry => InvokeUnregistered;

    public override DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state)
    {
        var status = Find(message, out var header, out var payload, out var target);
        return target is null ? status : target.Handle(in header, payload, ref state);
    }

    public override ValueTask<DispatchStatus> InvokeAsync(ReadOnlySpan<byte> message, T state, CancellationToken cancellationToken)
    {
        var status = Find(message, out var header, out var payload, out var target);
        return target is null ? new ValueTask<DispatchStatus>(status) : target.HandleAsync(in header, payload, state, cancellationToken);
    }

    private DispatchStatus InvokeUnregistered(ReadOnlySpan<byte> message, ref T state) =>
        Dispatcher.HasFallback ? InvokeAndCount(message, ref state) : Dispatcher.Count(DispatchStatus.NoHandler);

    private DispatchStatus Find(ReadOnlySpan<byte> message, out MessageHeader header, out ReadOnlySpan<byte> payload, out Target<T>? target)
    {
        payload = default;
        target = null;
        if (MessageHeader.TryRead(message, out header, out var size) != HeaderStatus.Ok)
            return DispatchStatus.Malformed;
        if (header.Kind > MessageKind.Request)
            return DispatchStatus.NotForHandlers;

        payload = message.Slice(size);
        target = Dispatcher.FindTarget(header.Type);
        return DispatchStatus.NoHandler;
    }
}
