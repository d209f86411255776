using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Unpacks messages and calls the handler that is registered for their type.</summary>
/// <typeparam name="T">The state that a dispatch passes to the handler, such as a player, a connection or a world.</typeparam>
/// <remarks>
/// Thread-safe: any number of threads may dispatch while others register and remove handlers. Events and requests reach handlers; replies, faults
/// and control messages do not. Bad bytes never throw: they have a status, which is counted. An exception of a handler is thrown to
/// the caller. Only the serializer and the handler allocate.
/// </remarks>
/// <example><code>
/// var dispatcher = new MessageDispatcher&lt;Player&gt;();
/// _ = dispatcher.Register&lt;Move&gt;(static (in Move move, ref Player player) =&gt; player.Position = move);
///
/// var player = new Player();
/// using var received = new MessageWriter().Pack(new Move(1, 2));
/// DispatchStatus status = dispatcher.Dispatch(received.Span, ref player);
///
/// [Message(3)] public readonly record struct Move(float X, float Y);
/// public sealed class Player { public Move Position { get; set; } }
/// </code></example>
public sealed partial class MessageDispatcher<T>
{
    private readonly int _maxMessageSize;
    private readonly bool _tracks;
    private readonly StatusCounts _counts = new();
    private readonly TargetTable<T> _targets = new();
    private Route<T>[] _routes = []; // by type, up to the highest short type that has a handler
    private Target<T>? _fallback;

    /// <summary>Creates a dispatcher without handlers.</summary>
    /// <param name="limits">The limits of messages (default: <see cref="MessageLimits.Default"/>).</param>
    /// <param name="trackRunningHandlers">
    /// Whether running calls of each handler are counted, so that <see cref="HandlerRegistration.DisposeAsync"/> can wait for them (default: <c>false</c>).
    /// Needed to unload the assembly of a handler safely. It costs two atomic operations and a <c>finally</c> block per message: compare
    /// <c>dispatch.tracked.ns</c> in docs/benchmarks/README.md.
    /// </param>
    public MessageDispatcher(MessageLimits? limits = null, bool trackRunningHandlers = false)
    {
        Limits = limits ?? MessageLimits.Default;
        MessagePool.PublishMetrics();
        _maxMessageSize = Limits.MaxMessageSize;
        _tracks = trackRunningHandlers;
        OnDemandCounters.Inform(this);
    }

    /// <summary>Calls the handler of a message.</summary>
    /// <param name="message">The header and the payload, without a length. Untrusted; it is only read, and only during the call.</param>
    /// <param name="state">The state of the handler, passed by reference.</param>
    /// <returns>The status of the message.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public DispatchStatus Dispatch(ReadOnlySpan<byte> message, ref T state)
    {
        if (!message.IsEmpty)
        {
            // The exact length of a struct replaces all other checks. Other messages take the longer path.
            ref var first = ref MemoryMarshal.GetReference(message);
            var (type, routes) = ((int)first, _routes);
            if (type < routes.Length)
            {
                ref readonly var route = ref routes[type];
                if (route.Length == message.Length)
                {
                    route.Direct(ref Unsafe.Add(ref first, 1), ref state);
                    return DispatchStatus.Handled;
                }
            }
        }

        return DispatchAny(message, ref state);
    }

    /// <summary>Calls the handler of a message, which may be asynchronous.</summary>
    /// <param name="message">The header and the payload, without a length. The caller may reuse the memory when the call returns, even if the handler still runs.</param>
    /// <param name="state">The state of the handler, passed by value: changes by a synchronous handler are not visible to the caller.</param>
    /// <param name="cancellationToken">The token that is passed to the handler.</param>
    /// <returns>
    /// The status of the message, when the handler has completed. Handlers start before the call returns, so consecutive calls start
    /// their handlers in order. Allocates if the handler does not complete synchronously.
    /// </returns>
    public ValueTask<DispatchStatus> DispatchAsync(ReadOnlySpan<byte> message, T state, CancellationToken cancellationToken = default)
    {
        if ((uint)(message.Length - 1) >= (uint)_maxMessageSize)
            return new ValueTask<DispatchStatus>(Refuse(message));

        var status = Find(message, out var header, out var payload, out var target);
        return HandleAsync(target, in header, payload, state, status, cancellationToken);
    }

    /// <summary>Calls the handler of an event or a request whose header the host has read, so that it is read once. For hosts.</summary>
    /// <param name="header">The header.</param>
    /// <param name="size">The size of the header, in bytes; 0 if it was not read.</param>
    /// <param name="message">The header and the payload.</param>
    /// <param name="state">The state of the handler.</param>
    /// <returns>The status of the message.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public DispatchStatus DispatchRead(in MessageHeader header, int size, ReadOnlySpan<byte> message, ref T state)
    {
        if (size <= 1 || message.Length > _maxMessageSize || OnDemandCounters.IsOn)
            return Dispatch(message, ref state); // a header of one byte needs no reading
        var status = FindTarget(header.Type) is { } target ? target.Handle(in header, message.Slice(size), ref state) : DispatchStatus.NoHandler;
        return status == DispatchStatus.Handled ? status : Count(status);
    }

    /// <param name="header">The header.</param>
    /// <param name="size">The size of the header, in bytes; 0 if it was not read.</param>
    /// <param name="message">The header and the payload.</param>
    /// <param name="state">The state of the handler.</param>
    /// <param name="cancellationToken">The token that is passed to the handler.</param>
    /// <inheritdoc cref="DispatchRead"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public ValueTask<DispatchStatus> DispatchReadAsync(in MessageHeader header, int size, ReadOnlySpan<byte> message, T state, CancellationToken cancellationToken) => size == 0 || message.Length > _maxMessageSize
        ? DispatchAsync(message, state, cancellationToken)
        : HandleAsync(FindTarget(header.Type), in header, message.Slice(size), state, DispatchStatus.NoHandler, cancellationToken);

    /// <summary>Gets the number of messages with a status since the dispatcher was created.</summary>
    /// <param name="status">Any status except <see cref="DispatchStatus.Handled"/>, which only the meter counts, because counting would cost more than dispatching.</param>
    public long GetCount(DispatchStatus status)
    {
        if (status == DispatchStatus.Handled || (uint)status >= StatusCounts.Length)
            Throw.ArgumentOutOfRange(nameof(status), status, "every status but Handled is counted");
        return _counts[status];
    }

    internal readonly MessageLimits Limits;

    internal bool HasFallback => Volatile.Read(ref _fallback) is not null;

    internal Target<T>? FindTarget(uint type) => _targets.Find(type) ?? Volatile.Read(ref _fallback);

    /// <summary>Counts a message that did not reach the handler of its type.</summary>
    /// <returns>The same status.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal DispatchStatus Count(DispatchStatus status)
    {
        _counts.Add(status);
        if (status == DispatchStatus.HandledByFallback)
            MessagingMetrics.CountDispatched();
        else
            MessagingMetrics.CountDropped((int)status);
        return status;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private DispatchStatus Refuse(ReadOnlySpan<byte> message) => Count(message.IsEmpty ? DispatchStatus.Malformed : DispatchStatus.TooLarge);

    private DispatchStatus DispatchAny(ReadOnlySpan<byte> message, ref T state)
    {
        // One comparison for both limits: the length of an empty message wraps around.
        if ((uint)(message.Length - 1) >= (uint)_maxMessageSize)
            return Refuse(message);

        if (OnDemandCounters.IsOn)
            return DispatchCounted(message, ref state);
        return Invoke(message, ref state);
    }

    /// <param name="target">The target; <c>null</c> for none.</param>
    /// <param name="header">The header.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="state">The state of the handler.</param>
    /// <param name="status">The status of a message without a target.</param>
    /// <param name="cancellationToken">The token of the handler.</param>
    private ValueTask<DispatchStatus> HandleAsync(Target<T>? target, in MessageHeader header, ReadOnlySpan<byte> payload, T state, DispatchStatus status, CancellationToken cancellationToken)
    {
        if (target is not null)
        {
            var call = target.HandleAsync(in header, payload, state, cancellationToken);
            if (!call.IsCompletedSuccessfully)
            {
                MessagingMetrics.CountDispatched(); // it reached its handler, even if the handler fails
                return call;
            }

            status = call.Result;
        }

        if (status == DispatchStatus.Handled)
            MessagingMetrics.CountDispatched();
        else
            Count(status);
        return new ValueTask<DispatchStatus>(status);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private DispatchStatus DispatchCounted(ReadOnlySpan<byte> message, ref T state)
    {
        var status = Invoke(message, ref state);
        if (status == DispatchStatus.Handled)
            MessagingMetrics.CountDispatched();
        return status;
    }

    private DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state)
    {
        var first = MemoryMarshal.GetReference(message);
        var routes = _routes;
        if (first < routes.Length && routes[first].Call is { } call)
            return call(message, ref state);
        if (first == MessageHeader.ExtendedMarker && MessageHeader.TryReadPlainEvent(message, out var type, out var size) && _targets.Find(type) is { } target)
            return target.Route.Call!(message.Slice(size - 1), ref state); // a header of one byte, as in the short form. The call does not read that byte.
        return first <= MessageHeader.MaxShortType && !HasFallback ? Count(DispatchStatus.NoHandler) : InvokeByHeader(message, ref state);
    }

    /// <summary>Handles a message whose target does not follow from the first byte: the compressed and the extended form, and types without a handler.</summary>
    private DispatchStatus InvokeByHeader(ReadOnlySpan<byte> message, ref T state)
    {
        var status = Find(message, out var header, out var payload, out var target);
        if (target is not null)
            status = target.Handle(in header, payload, ref state);
        return status == DispatchStatus.Handled ? status : Count(status);
    }

    /// <summary>Reads the header of a message, and finds the target of its type.</summary>
    /// <returns>The status of a message without a target.</returns>
    private DispatchStatus Find(ReadOnlySpan<byte> message, out MessageHeader header, out ReadOnlySpan<byte> payload, out Target<T>? target)
    {
        payload = default;
        target = null;
        if (MessageHeader.TryRead(message, out header, out var size) != HeaderStatus.Ok)
            return DispatchStatus.Malformed;
        if (header.Kind > MessageKind.Request)
            return DispatchStatus.NotForHandlers;

        payload = message.Slice(size);
        target = FindTarget(header.Type);
        return DispatchStatus.NoHandler;
    }
}
