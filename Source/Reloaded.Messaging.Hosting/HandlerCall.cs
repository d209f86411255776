using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>The call of a handler, which filters surround: see <see cref="HandlerForms{TFrom}.AddFilter"/>.</summary>
/// <remarks>Valid until the task of the filter completes. Afterwards, each member throws an <see cref="InvalidOperationException"/>.</remarks>
public readonly struct HandlerCall
{
    private readonly FilteredCall _call;
    private readonly int _generation;
    private readonly int _next;

    internal HandlerCall(FilteredCall call, int next) => (_call, _generation, _next) = (call, call.Generation, next);

    /// <summary>The contract of the message, with its type.</summary>
    public MessageContract Contract => Call.Contract;

    /// <summary>The token of the handler. For a handler without a token, it is canceled when the sender disconnects or the host stops.</summary>
    public CancellationToken CancellationToken => Call.Canceled;

    /// <summary>The message. Allocates for a struct: see <see cref="TryGetMessage"/>.</summary>
    public object Message => Call.Message.Value!;

    /// <summary>The sender of a message to a server or client; <see langword="null"/> for hosts of other packages.</summary>
    public Peer? Peer => (Call.From as StrongBox<Peer>)?.Value;

    /// <summary>Returns the message without an allocation.</summary>
    /// <param name="message">The message, if it has the type.</param>
    /// <returns><see langword="true"/> if the contract has exactly this type; otherwise, <see langword="false"/>.</returns>
    public bool TryGetMessage<T>([MaybeNullWhen(false)] out T message) => FilteredCall.TryGet(Call.Message, out message);

    /// <summary>Returns the origin of the message, for hosts of other packages.</summary>
    /// <param name="from">The origin, if the host has this type of origin.</param>
    /// <returns><see langword="true"/> if the host has this type of origin; otherwise, <see langword="false"/>.</returns>
    public bool TryGetFrom<TFrom>([MaybeNullWhen(false)] out TFrom from) => FilteredCall.TryGet(Call.From, out from);

    /// <summary>Calls the next filter, and at last the handler.</summary>
    /// <returns>A task that completes when the handler has completed. It fails with the exception of the handler.</returns>
    /// <remarks>A filter that tries again may call it more than once, one call after the other. The last reply is sent.</remarks>
    public ValueTask NextAsync() => Call.NextAsync(_next);

    private FilteredCall Call => _call is { } call && call.Generation == _generation
        ? call
        : throw new InvalidOperationException("The call of the handler has ended. Use a HandlerCall only until the task of its filter completes.");
}

/// <summary>A filter as an attribute of a message type. It surrounds the handler of the type in every host, inside of the filters that were added to the host.</summary>
/// <remarks>The package <c>Reloaded.Messaging.Extensions.Hosting</c> also reads it from handler classes. An instance is created when the handler is registered.</remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct)]
public abstract class HandlerFilterAttribute : Attribute
{
    /// <inheritdoc cref="HandlerForms{TFrom}.AddFilter"/>
    /// <param name="call">The call.</param>
    /// <returns>A task that completes when the filter has ended.</returns>
    public abstract ValueTask InvokeAsync(HandlerCall call);
}
