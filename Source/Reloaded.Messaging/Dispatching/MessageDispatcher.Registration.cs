using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <content>The registrations. A change publishes one entry of the table, so that dispatching takes no lock.</content>
public sealed partial class MessageDispatcher<T> : ICountingObserver
{
    private readonly object _gate = new();

    /// <summary>Returns the condition of a handler that is being registered for a type, or <c>null</c> for none. For hosts of this library. Set it before handlers are registered.</summary>
    /// <remarks>A message that does not meet the condition is not read, and has the status <see cref="DispatchStatus.NoHandler"/>.</remarks>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Func<uint, CompilerServices.HandlerCondition<T>?>? ConditionOf { get; set; }

    /// <summary>Receives the exceptions of serializers, constructors and setters, whose messages then have the status <see cref="DispatchStatus.InvalidPayload"/>; <c>null</c> to throw them to the caller. For hosts of this library. Set it before messages are dispatched.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public CompilerServices.DecodeFailureReporter<T>? DecodeFailed { get; set; }

    /// <summary>Registers a handler for the declared contract of a message type.</summary>
    /// <inheritdoc cref="Register{TMessage}(MessageContract{TMessage}, MessageHandler{TMessage, T}, DuplicateHandlerBehavior)"/>
    public HandlerRegistration Register<TMessage>(MessageHandler<TMessage, T> handler) => Register(MessageContract.GetDeclared<TMessage>(), handler);

    /// <summary>Registers a handler.</summary>
    /// <param name="contract">The contract of the messages.</param>
    /// <param name="handler">The handler.</param>
    /// <param name="ifRegistered">The behavior if the type already has a handler.</param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the id belongs to another message type, or has a handler and <paramref name="ifRegistered"/> is <see cref="DuplicateHandlerBehavior.Throw"/>.</exception>
    public HandlerRegistration Register<TMessage>(
        MessageContract<TMessage> contract,
        MessageHandler<TMessage, T> handler,
        DuplicateHandlerBehavior ifRegistered = DuplicateHandlerBehavior.Throw)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(handler);
        return contract.IsBlittable && !RuntimeHelpers.IsReferenceOrContainsReferences<TMessage>()
            ? Add(new BlittableTarget<TMessage, T>(this, contract, handler), ifRegistered)
            : Add(new TypedTarget<TMessage, T>(this, contract, handler), ifRegistered);
    }

    /// <summary>Registers an object as the handler for the declared contract of a message type.</summary>
    /// <inheritdoc cref="Register{TMessage}(MessageContract{TMessage}, IMessageHandler{TMessage, T}, DuplicateHandlerBehavior)"/>
    public HandlerRegistration Register<TMessage>(IMessageHandler<TMessage, T> handler) => Register(MessageContract.GetDeclared<TMessage>(), handler);

    /// <summary>Registers an object as a handler.</summary>
    /// <inheritdoc cref="Register{TMessage}(MessageContract{TMessage}, MessageHandler{TMessage, T}, DuplicateHandlerBehavior)"/>
    public HandlerRegistration Register<TMessage>(
        MessageContract<TMessage> contract,
        IMessageHandler<TMessage, T> handler,
        DuplicateHandlerBehavior ifRegistered = DuplicateHandlerBehavior.Throw)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Register(contract, handler.Handle, ifRegistered);
    }

    /// <summary>Registers an asynchronous handler for the declared contract of a message type.</summary>
    /// <inheritdoc cref="Register{TMessage}(MessageContract{TMessage}, AsyncMessageHandler{TMessage, T}, DuplicateHandlerBehavior)"/>
    public HandlerRegistration Register<TMessage>(AsyncMessageHandler<TMessage, T> handler) => Register(MessageContract.GetDeclared<TMessage>(), handler);

    /// <summary>Registers an asynchronous handler, which <see cref="DispatchAsync"/> calls and <see cref="Dispatch"/> does not.</summary>
    /// <inheritdoc cref="Register{TMessage}(MessageContract{TMessage}, MessageHandler{TMessage, T}, DuplicateHandlerBehavior)"/>
    public HandlerRegistration Register<TMessage>(
        MessageContract<TMessage> contract,
        AsyncMessageHandler<TMessage, T> handler,
        DuplicateHandlerBehavior ifRegistered = DuplicateHandlerBehavior.Throw)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(handler);
        return Add(new AsyncTarget<TMessage, T>(this, contract, handler), ifRegistered);
    }

    /// <summary>Registers a handler that receives the payloads of a type unchanged, also compressed ones.</summary>
    /// <param name="type">The id.</param>
    /// <param name="handler">The handler.</param>
    /// <param name="ifRegistered">The behavior if the type already has a handler.</param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the id belongs to a contract, or has a handler and <paramref name="ifRegistered"/> is <see cref="DuplicateHandlerBehavior.Throw"/>.</exception>
    public HandlerRegistration RegisterRaw(uint type, RawMessageHandler<T> handler, DuplicateHandlerBehavior ifRegistered = DuplicateHandlerBehavior.Throw)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(new RawTarget<T>(this, type, handler, DispatchStatus.Handled), ifRegistered);
    }

    /// <summary>Registers the fallback for events and requests whose type has no handler. Replaces the previous fallback.</summary>
    /// <param name="handler">The handler.</param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    public HandlerRegistration RegisterFallback(RawMessageHandler<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var target = Track(new RawTarget<T>(this, 0, handler, DispatchStatus.HandledByFallback), out var running);
        Volatile.Write(ref _fallback, target);
        return new HandlerRegistration(() => Interlocked.CompareExchange(ref _fallback, null, target), running);
    }

    /// <summary>Removes the handler of a type.</summary>
    /// <param name="type">The id.</param>
    /// <returns><c>true</c> if the type had a handler; otherwise, <c>false</c>.</returns>
    public bool Remove(uint type)
    {
        lock (_gate)
        {
            if (_targets.Find(type) is null)
                return false;
            Publish(type, null);
            return true;
        }
    }

    /// <summary>Finds the handler of a type. Thread-safe.</summary>
    /// <param name="type">The id of the message type.</param>
    /// <param name="contract">The contract of the handler, or <see langword="null"/> for a raw handler, for the fallback, and if there is no handler.</param>
    /// <returns><see langword="true"/> if the type has a handler or the dispatcher has a fallback; otherwise, <see langword="false"/>.</returns>
    public bool HasHandler(uint type, out MessageContract? contract)
    {
        var target = FindTarget(type);
        contract = target?.Contract;
        return target is not null;
    }

    private HandlerRegistration Add(Target<T> added, DuplicateHandlerBehavior ifRegistered)
    {
        var target = Track(added, out var running);
        if (ConditionOf?.Invoke(target.Type) is { } condition)
            target = new ConditionalTarget<T>(this, target, condition);
        target.Prepare();
        lock (_gate)
        {
            if (_targets.Find(target.Type) is { } existing)
            {
                if (AreDifferentMessages(existing.Contract, target.Contract))
                    Throw.TypeTaken(target.Type, existing.Description, target.Description);
                if (ifRegistered == DuplicateHandlerBehavior.Throw)
                    Throw.HasHandler(target.Type, existing.Description, target.Description);
            }

            Publish(target.Type, target);
        }

        return new HandlerRegistration(() => Remove(target), running);
    }

    /// <summary>Checks that a raw handler and a typed handler may replace each other, while two contracts of different messages collide.</summary>
    private static bool AreDifferentMessages(MessageContract? existing, MessageContract? added) =>
        existing is not null && added is not null && existing.MessageType != added.MessageType;

    private void Remove(Target<T> target)
    {
        lock (_gate)
        {
            if (_targets.Find(target.Type) == target)
                Publish(target.Type, null);
        }
    }

    private Target<T> Track(Target<T> target, out RunningCalls? running)
    {
        running = _tracks ? new RunningCalls() : null;
        return running is null ? target : new TrackedTarget<T>(this, target, running);
    }

    private void Publish(uint type, Target<T>? target)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        _targets.Set(type, target);
        if (type <= MessageHeader.MaxShortType)
            PublishRoutes();
    }

    void ICountingObserver.OnCountingChanged()
    {
        lock (_gate)
            PublishRoutes();
    }

    /// <summary>Publishes the routes of all handlers with a short type. Direct calls do not count messages, so they are left out while messages are counted.</summary>
    private void PublishRoutes()
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        var length = MessageHeader.MaxShortType + 1;
        while (length > 0 && _targets.Find(length - 1) is null)
            length--;

        var routes = new Route<T>[length];
        for (var type = 0u; type < length; type++)
        {
            if (_targets.Find(type) is { } target)
                routes[type] = OnDemandCounters.IsOn || target.Route.Length > _maxMessageSize ? new Route<T>(target.Route.Call!) : target.Route;
        }

        Volatile.Write(ref _routes, routes);
    }
}
