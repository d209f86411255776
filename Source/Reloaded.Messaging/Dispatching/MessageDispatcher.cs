using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Unpacks messages and calls the handler that is registered for their type.</summary>
/// <typeparam name="T">The state that a dispatch passes to the handler, such as a player, a connection or a world.</typeparam>
/// <remarks>
/// Thread-safe: any number of threads may dispatch while others register and remove handlers. Events and requests reach handlers; replies, faults
/// and control messages do not. Bad bytes never throw: they have a status, which is counted. An exception of a handler is thrown to
/// the caller. Only the serializer and the handler allocate.
/// </remarks>
public sealed partial class MessageDispatcher<T>
{
    private readonly int _maxMessageSize;
    private readonly bool _tracks;
    private readonly StatusCounts _counts = new();

    /// <summary>Creates a dispatcher without handlers.</summary>
    /// <param name="options">The options (default: the default values).</param>
    public MessageDispatcher(DispatcherOptions? options = null)
    {
        options ??= new DispatcherOptions();
        Limits = options.Limits;
        MessagePool.PublishMetrics();
        _maxMessageSize = Limits.MaxMessageSize;
        _tracks = options.TrackRunningHandlers;
        _lookup = new LookupRoute<T>(this);
        BuildRoutes();
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
            ref readonly var entry = ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_direct), (nint)first);
            if (entry.Length == message.Length)
            {
                entry.Call(ref Unsafe.Add(ref first, 1), ref state);
                return DispatchStatus.Handled;
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

        var call = _routes[message[0]].InvokeAsync(message, state, cancellationToken);
        if (!call.IsCompletedSuccessfully)
        {
            MessagingMetrics.CountDispatched(); // it reached its handler, even if the handler fails
            return call;
        }

        var status = call.Result;
        if (status == DispatchStatus.Handled)
            MessagingMetrics.CountDispatched();
        else
            Count(status);
        return new ValueTask<DispatchStatus>(status);
    }

    /// <summary>Gets the number of messages with a status since the dispatcher was created.</summary>
    /// <param name="status">Any status except <see cref="DispatchStatus.Handled"/>, which only the meter counts, because counting would cost more than dispatching.</param>
    public long GetCount(DispatchStatus status)
    {
        if (status == DispatchStatus.Handled || (uint)status >= StatusCounts.Length)
            Throw.ArgumentOutOfRange(nameof(status), status, "every status but Handled is counted");
        return _counts[status];
    }

    internal MessageLimits Limits { get; }

    /// <summary>Counts a message that did not reach the handler of its type.</summary>
    /// <returns>The same status.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal DispatchStatus Count(DispatchStatus status)
    {
        _counts.Add(status);
        if (status == DispatchStatus.HandledByFallback)
            MessagingMetrics.CountDispatched();
        else
            MessagingMetrics.CountDropped(DispatchStatusNames.Of(status));
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
        return _calls[MemoryMarshal.GetReference(message)](message, ref state);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private DispatchStatus DispatchCounted(ReadOnlySpan<byte> message, ref T state)
    {
        var status = _calls[message[0]](message, ref state);
        if (status == DispatchStatus.Handled)
            MessagingMetrics.CountDispatched();
        return status;
    }
}
