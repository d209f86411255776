using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Takes packed messages apart and calls the handler that is registered for their type.</summary>
/// <typeparam name="T">The state that a dispatch passes on to the handler: a player, a connection, a world.</typeparam>
/// <remarks>
/// Thread-safe: any number of threads may dispatch while others register and remove. Events and requests reach handlers; replies, faults
/// and control messages never do. Bad bytes never throw: they get a status, and are counted under it. An exception from a handler is
/// its caller's. Nothing is allocated but what the serializer and the handler allocate.
/// </remarks>
public sealed partial class MessageDispatcher<T>
{
    private readonly int _maxMessageSize;
    private readonly bool _tracks;
    private readonly StatusCounts _counts = new();

    /// <summary>Makes a dispatcher without handlers.</summary>
    /// <param name="options">How to treat what it gets; the defaults if null.</param>
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
    /// <param name="message">Header and payload, without a length in front. From anywhere; only read, and only during the call.</param>
    /// <param name="state">Passed on to the handler.</param>
    /// <returns>What became of the message.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public DispatchStatus Dispatch(ReadOnlySpan<byte> message, ref T state)
    {
        if (!message.IsEmpty)
        {
            // The exact length of a struct stands for every other check. Anything else takes the longer way.
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
    /// <param name="message">Header and payload, without a length in front. The caller's again when the call returns, even if the handler still runs.</param>
    /// <param name="state">Passed on to the handler, by value: what a synchronous handler does to it stays there.</param>
    /// <param name="cancellationToken">Passed on to the handler.</param>
    /// <returns>
    /// What became of the message, once the handler is done. Handlers start before the call returns, so calling this for one message after the
    /// other starts their handlers in order. Allocates when the handler does not complete at once.
    /// </returns>
    public ValueTask<DispatchStatus> DispatchAsync(ReadOnlySpan<byte> message, T state, CancellationToken cancellationToken = default)
    {
        if ((uint)(message.Length - 1) >= (uint)_maxMessageSize)
            return new ValueTask<DispatchStatus>(Refuse(message));

        var call = _routes[message[0]].InvokeAsync(message, state, cancellationToken);
        if (!call.IsCompletedSuccessfully)
        {
            MessagingMetrics.CountDispatched(); // it reached its handler, whatever becomes of it there
            return call;
        }

        var status = call.Result;
        if (status == DispatchStatus.Handled)
            MessagingMetrics.CountDispatched();
        else
            Count(status);
        return new ValueTask<DispatchStatus>(status);
    }

    /// <summary>How many messages got a status, since the dispatcher was made.</summary>
    /// <param name="status">Any but <see cref="DispatchStatus.Handled"/>, which would cost more to count than to do: the meter counts it while somebody listens.</param>
    public long GetCount(DispatchStatus status)
    {
        if (status == DispatchStatus.Handled || (uint)status >= StatusCounts.Length)
            Throw.ArgumentOutOfRange(nameof(status), status, "every status but Handled is counted");
        return _counts[status];
    }

    internal MessageLimits Limits { get; }

    /// <summary>Counts a message that did not reach its type's handler.</summary>
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
        // One comparison for both ends: an empty message wraps around.
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
