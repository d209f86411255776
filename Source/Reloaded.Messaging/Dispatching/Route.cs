using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>One of the 256 entries of a dispatcher: the action for messages that start with one particular byte.</summary>
/// <remarks>
/// Each entry knows its header form and parses the message itself. Types without a handler have an entry too.
/// A dispatch is a length check, a load and a call.
/// </remarks>
internal abstract class Route<T>(MessageDispatcher<T> dispatcher)
{
    protected MessageDispatcher<T> Dispatcher { get; } = dispatcher;

    /// <summary>The delegate in the dispatcher's table.</summary>
    /// <remarks>
    /// A delegate instead of the route itself: the target of a virtual call needs two more loads, for which the processor waits when
    /// message types are mixed.
    /// </remarks>
    public virtual RouteCall<T> Entry => InvokeAndCount;

    /// <summary>The direct entry for messages that start with this byte, or the default one.</summary>
    public virtual DirectEntry<T> Direct => default;

    /// <summary>Handles a whole message, which is not empty and not above the limit.</summary>
    public abstract DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state);

    /// <summary>Handles a message whose handler may be asynchronous.</summary>
    public virtual ValueTask<DispatchStatus> InvokeAsync(ReadOnlySpan<byte> message, T state, CancellationToken cancellationToken) =>
        new(Invoke(message, ref state));

    protected DispatchStatus InvokeAndCount(ReadOnlySpan<byte> message, ref T state)
    {
        var status = Invoke(message, ref state);
        return status == DispatchStatus.Handled ? status : Dispatcher.Count(status);
    }
}
