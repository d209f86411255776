using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>One of a dispatcher's 256 entries: what to do with messages that start with one particular byte.</summary>
/// <remarks>
/// Each entry knows its own header form and takes the message apart itself, and types without a handler have an entry like any other.
/// A dispatch is a length check, a load and a call.
/// </remarks>
internal abstract class Route<T>(MessageDispatcher<T> dispatcher)
{
    protected MessageDispatcher<T> Dispatcher { get; } = dispatcher;

    /// <summary>The entry that the dispatcher's table holds.</summary>
    /// <remarks>
    /// A delegate, not the route itself: a virtual call's target is two loads further away, and with mixed types the processor waits for it
    /// at every message: 15 ns where this took 11.6 and a bare array of delegates 10.4.
    /// </remarks>
    public virtual RouteCall<T> Entry => InvokeAndCount;

    /// <summary>The direct entry for messages that start with this byte, or the default one.</summary>
    public virtual DirectEntry<T> Direct => default;

    /// <summary>Handles a whole message, which is not empty and not above the limit.</summary>
    public abstract DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state);

    /// <summary>The same for asynchronous handlers; synchronous ones are called as ever.</summary>
    public virtual ValueTask<DispatchStatus> InvokeAsync(ReadOnlySpan<byte> message, T state, CancellationToken cancellationToken) =>
        new(Invoke(message, ref state));

    protected DispatchStatus InvokeAndCount(ReadOnlySpan<byte> message, ref T state)
    {
        var status = Invoke(message, ref state);
        return status == DispatchStatus.Handled ? status : Dispatcher.Count(status);
    }
}
