using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.CompilerServices;
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

/// <summary>A typed handler with any serializer.</summary>
internal sealed class TypedTarget<TMessage, T>(MessageDispatcher<T> dispatcher, MessageContract<TMessage> contract, MessageHandler<TMessage, T> handler)
    : Target<T>(dispatcher, contract.Type, contract)
{
    private readonly PayloadDecoder<TMessage> _decoder = new(contract, dispatcher.Limits);

    protected override Route<T> CreateRoute() => new(InvokeShort);

    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state)
    {
        if (!TryDecode(_decoder, in header, payload, in state, out var message, out var status))
            return status;
        handler(in message, ref state);
        _decoder.Return(message);
        return status;
    }

    /// <summary>Handles a plain short message, without parsing a header.</summary>
    private DispatchStatus InvokeShort(ReadOnlySpan<byte> message, ref T state)
    {
        TMessage? value;
        try
        {
            if (!_decoder.TryDeserialize(message.Slice(1), out value))
                return Dispatcher.Count(DispatchStatus.InvalidPayload);
        }
        catch (Exception e) when (Dispatcher.DecodeFailed is not null)
        {
            Dispatcher.DecodeFailed(Type, e, in state);
            return Dispatcher.Count(DispatchStatus.InvalidPayload);
        }

        handler(in value, ref state);
        _decoder.Return(value);
        return DispatchStatus.Handled;
    }
}

/// <summary>A typed handler of a blittable struct: its plain short messages reach the handler without the serializer.</summary>
internal sealed class BlittableTarget<TMessage, T>(MessageDispatcher<T> dispatcher, MessageContract<TMessage> contract, MessageHandler<TMessage, T> handler)
    : Target<T>(dispatcher, contract.Type, contract)
{
    private readonly MessageHandler<TMessage, T> _handler = handler;
    private readonly PayloadDecoder<TMessage> _decoder = new(contract, dispatcher.Limits);

    protected override Route<T> CreateRoute() => new(1 + Unsafe.SizeOf<TMessage>(), InPlaceHandler.TryView(_handler) ?? InvokeCopy, Invoke);

    /// <summary>Handles a plain short message, whose length is exact unless the direct calls are off.</summary>
    private DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state)
    {
        if (message.Length != 1 + Unsafe.SizeOf<TMessage>())
            return InvokeAndCount(message, ref state); // another version of the struct with fewer or more fields, or invalid bytes

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

/// <summary>An asynchronous handler. The message is deserialized before the first await, so the caller's bytes are free when the call returns.</summary>
internal sealed class AsyncTarget<TMessage, T>(MessageDispatcher<T> dispatcher, MessageContract<TMessage> contract, AsyncMessageHandler<TMessage, T> handler)
    : Target<T>(dispatcher, contract.Type, contract)
{
    private readonly PayloadDecoder<TMessage> _decoder = new(contract, dispatcher.Limits);

    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state) => DispatchStatus.HandlerIsAsync;

    public override ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, T state, CancellationToken cancellationToken)
    {
        if (!TryDecode(_decoder, in header, payload, in state, out var message, out var status))
            return new ValueTask<DispatchStatus>(status);

        ValueTask running;
        try
        {
            running = handler(message, state, cancellationToken);
        }
        catch (Exception e)
        {
            running = new ValueTask(Task.FromException(e)); // the awaiter gets it, as if the handler had thrown after its first await
        }

        if (!running.IsCompletedSuccessfully)
            return FinishAsync(running, message);

        running.GetAwaiter().GetResult(); // returns a pooled source to its pool
        _decoder.Return(message);
        return new ValueTask<DispatchStatus>(DispatchStatus.Handled);
    }

    private async ValueTask<DispatchStatus> FinishAsync(ValueTask running, TMessage message)
    {
        await running.ConfigureAwait(false);
        _decoder.Return(message);
        return DispatchStatus.Handled;
    }
}

/// <summary>Calls another target for messages that meet a condition.</summary>
internal sealed class ConditionalTarget<T>(MessageDispatcher<T> dispatcher, Target<T> inner, HandlerCondition<T> condition)
    : Target<T>(dispatcher, inner.Type, inner.Contract)
{
    protected override Route<T> CreateRoute()
    {
        inner.Prepare();
        return new(Invoke);
    }

    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state) =>
        condition(in state) ? inner.Handle(in header, payload, ref state) : DispatchStatus.NoHandler;

    public override ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, T state, CancellationToken cancellationToken) =>
        condition(in state) ? inner.HandleAsync(in header, payload, state, cancellationToken) : new ValueTask<DispatchStatus>(DispatchStatus.NoHandler);

    private DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state) =>
        condition(in state) ? inner.Route.Call!(message, ref state) : Dispatcher.Count(DispatchStatus.NoHandler);
}

/// <summary>Counts the calls of another target. A call that starts too late goes to the current target of its type.</summary>
internal sealed class TrackedTarget<T>(MessageDispatcher<T> dispatcher, Target<T> inner, RunningCalls running)
    : Target<T>(dispatcher, inner.Type, inner.Contract)
{
    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state)
    {
        if (!running.TryEnter())
            return Dispatcher.FindTarget(header.Type) is { } now ? now.Handle(in header, payload, ref state) : DispatchStatus.NoHandler;

        try
        {
            return inner.Handle(in header, payload, ref state);
        }
        finally
        {
            running.Exit();
        }
    }

    public override ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, T state, CancellationToken cancellationToken)
    {
        if (!running.TryEnter())
        {
            return Dispatcher.FindTarget(header.Type) is { } now
                ? now.HandleAsync(in header, payload, state, cancellationToken)
                : new ValueTask<DispatchStatus>(DispatchStatus.NoHandler);
        }

        ValueTask<DispatchStatus> call;
        try
        {
            call = inner.HandleAsync(in header, payload, state, cancellationToken);
        }
        catch
        {
            running.Exit();
            throw;
        }

        if (!call.IsCompletedSuccessfully)
            return FinishAsync(call);
        running.Exit();
        return call;
    }

    private async ValueTask<DispatchStatus> FinishAsync(ValueTask<DispatchStatus> call)
    {
        try
        {
            return await call.ConfigureAwait(false);
        }
        finally
        {
            running.Exit();
        }
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
