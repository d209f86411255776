using System.Diagnostics.CodeAnalysis;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A registered handler.</summary>
internal abstract class Target<T>(MessageDispatcher<T> dispatcher, uint type, MessageContract? contract)
{
    private readonly MessageHeader _header = new(type);

    public readonly uint Type = type;

    public readonly MessageContract? Contract = contract;

    /// <summary>A description of the registration, for exception messages.</summary>
    public string Description => Contract?.ToString() ?? "a raw handler";

    /// <summary>The calls for the plain short messages of the type, after <see cref="Prepare"/>.</summary>
    public Route<T> Route { get; private set; }

    protected MessageDispatcher<T> Dispatcher { get; } = dispatcher;

    /// <summary>Creates the calls. To be called before other threads can see the target.</summary>
    public void Prepare() => Route = CreateRoute();

    /// <summary>Handles a payload.</summary>
    public abstract DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state);

    public virtual ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, T state, CancellationToken cancellationToken) =>
        new(Handle(in header, payload, ref state));

    protected virtual Route<T> CreateRoute() => new(InvokeAndCount);

    /// <summary>Decodes a payload. An exception of code of the program, such as a serializer or a setter, is reported to <see cref="MessageDispatcher{T}.DecodeFailed"/>.</summary>
    protected bool TryDecode<TMessage>(PayloadDecoder<TMessage> decoder, in MessageHeader header, ReadOnlySpan<byte> payload, in T state, [MaybeNullWhen(false)] out TMessage message, out DispatchStatus status)
    {
        try
        {
            return decoder.TryDecode(in header, payload, out message, out status);
        }
        catch (Exception e) when (Dispatcher.DecodeFailed is not null)
        {
            Dispatcher.DecodeFailed(Type, e, in state);
            (message, status) = (default, DispatchStatus.InvalidPayload);
            return false;
        }
    }

    /// <summary>Handles a plain short message, and counts it if no handler did.</summary>
    protected DispatchStatus InvokeAndCount(ReadOnlySpan<byte> message, ref T state)
    {
        var status = Handle(in _header, message.Slice(1), ref state);
        return status == DispatchStatus.Handled ? status : Dispatcher.Count(status);
    }
}

/// <summary>A raw handler, of one type or as the fallback.</summary>
internal sealed class RawTarget<T>(MessageDispatcher<T> dispatcher, uint type, RawMessageHandler<T> handler, DispatchStatus status)
    : Target<T>(dispatcher, type, null)
{
    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state)
    {
        handler(in header, payload, ref state);
        return status;
    }
}

/// <summary>The calls of a dispatcher for plain short messages of one type.</summary>
/// <param name="length">The length of the whole message, in bytes, for which <paramref name="direct"/> is called; 0, which no message has, for none.</param>
/// <param name="direct">The handler of messages with this length. The exact length replaces all other checks: the message is not empty, is below the limit, and its payload is the struct.</param>
/// <param name="call">Handles messages of any length, up to the limit.</param>
/// <remarks>
/// Delegates instead of a virtual method of the target: a virtual call needs two more loads, for which the processor waits when message types are mixed.
/// </remarks>
internal readonly struct Route<T>(int length, DirectCall<T> direct, RouteCall<T> call)
{
    public readonly DirectCall<T> Direct = direct;
    public readonly RouteCall<T>? Call = call; // null for a type without a handler
    public readonly int Length = length;

    /// <summary>Creates a route without a direct call.</summary>
    public Route(RouteCall<T> call)
        : this(0, null!, call)
    {
    }
}

/// <summary>Handles a whole message, and counts it if no handler did.</summary>
internal delegate DispatchStatus RouteCall<T>(ReadOnlySpan<byte> message, ref T state);

/// <summary>A handler of a blittable type, called with a reference to the first byte of a payload that has the type's exact size.</summary>
internal delegate void DirectCall<T>(ref byte payload, ref T state);
