using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <content>Who handles what. Every change builds new tables and swaps them in, so that dispatching takes no lock.</content>
public sealed partial class MessageDispatcher<T> : ICountingObserver
{
    private const int RouteCount = 256;

    private static readonly DirectEntry<T>[] s_noDirectEntries = new DirectEntry<T>[RouteCount];

    private readonly object _gate = new();
    private readonly LookupRoute<T> _lookup;
    private Route<T>[] _routes = [];
    private RouteCall<T>[] _calls = [];
    private DirectEntry<T>[] _direct = s_noDirectEntries;
    private Dictionary<uint, Target<T>> _targets = [];
    private Target<T>? _fallback;

    /// <summary>Registers a handler for its message's declared contract.</summary>
    /// <inheritdoc cref="Register{TMessage}(MessageContract{TMessage}, MessageHandler{TMessage, T}, DuplicateHandlerBehavior)"/>
    public HandlerRegistration Register<TMessage>(MessageHandler<TMessage, T> handler) => Register(MessageContract.GetDeclared<TMessage>(), handler);

    /// <summary>Registers a handler.</summary>
    /// <param name="contract">What its messages are on the wire.</param>
    /// <param name="handler">What to call.</param>
    /// <param name="ifRegistered">What to do when the type has a handler already.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The id belongs to another message type here, or has a handler and <paramref name="ifRegistered"/> is Throw.</exception>
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

    /// <summary>Registers an object as handler for its message's declared contract.</summary>
    /// <inheritdoc cref="Register{TMessage}(MessageContract{TMessage}, IMessageHandler{TMessage, T}, DuplicateHandlerBehavior)"/>
    public HandlerRegistration Register<TMessage>(IMessageHandler<TMessage, T> handler) => Register(MessageContract.GetDeclared<TMessage>(), handler);

    /// <summary>Registers an object as handler.</summary>
    /// <inheritdoc cref="Register{TMessage}(MessageContract{TMessage}, MessageHandler{TMessage, T}, DuplicateHandlerBehavior)"/>
    public HandlerRegistration Register<TMessage>(
        MessageContract<TMessage> contract,
        IMessageHandler<TMessage, T> handler,
        DuplicateHandlerBehavior ifRegistered = DuplicateHandlerBehavior.Throw)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Register(contract, handler.Handle, ifRegistered);
    }

    /// <summary>Registers an asynchronous handler for its message's declared contract.</summary>
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

    /// <summary>Registers a handler that gets a type's payloads as they came, compressed ones included.</summary>
    /// <param name="type">The id.</param>
    /// <param name="handler">What to call.</param>
    /// <param name="ifRegistered">What to do when the type has a handler already.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The id belongs to a contract here, or has a handler and <paramref name="ifRegistered"/> is Throw.</exception>
    public HandlerRegistration RegisterRaw(uint type, RawMessageHandler<T> handler, DuplicateHandlerBehavior ifRegistered = DuplicateHandlerBehavior.Throw)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(new RawTarget<T>(this, type, handler, DispatchStatus.Handled), ifRegistered);
    }

    /// <summary>Registers what is called for events and requests of types that have no handler. Replaces the fallback there was.</summary>
    /// <param name="handler">What to call.</param>
    /// <returns>The handle that removes it again.</returns>
    public HandlerRegistration RegisterFallback(RawMessageHandler<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var target = Track(new RawTarget<T>(this, 0, handler, DispatchStatus.HandledByFallback), out var running);
        Volatile.Write(ref _fallback, target);
        return new HandlerRegistration(() => Interlocked.CompareExchange(ref _fallback, null, target), running);
    }

    /// <summary>Removes a type's handler.</summary>
    /// <param name="type">The id.</param>
    /// <returns>False if it had none.</returns>
    public bool Remove(uint type)
    {
        lock (_gate)
        {
            if (!_targets.ContainsKey(type))
                return false;
            var targets = new Dictionary<uint, Target<T>>(_targets);
            targets.Remove(type);
            Publish(targets);
            return true;
        }
    }

    /// <summary>Finds the handler that messages of a type get. Thread-safe.</summary>
    /// <param name="type">The message type's id.</param>
    /// <param name="contract">The contract that the handler was registered with; <see langword="null"/> for a raw handler, for the fallback, and if there is no handler.</param>
    /// <returns><see langword="true"/> if the type has a handler or the dispatcher has a fallback; otherwise, <see langword="false"/>.</returns>
    public bool HasHandler(uint type, out MessageContract? contract)
    {
        var target = FindTarget(type);
        contract = target?.Contract;
        return target is not null;
    }

    internal bool HasFallback => Volatile.Read(ref _fallback) is not null;

    internal Target<T>? FindTarget(uint type) =>
        Volatile.Read(ref _targets).TryGetValue(type, out var target) ? target : Volatile.Read(ref _fallback);

    private HandlerRegistration Add(Target<T> added, DuplicateHandlerBehavior ifRegistered)
    {
        var target = Track(added, out var running);
        lock (_gate)
        {
            if (_targets.TryGetValue(target.Type, out var existing))
            {
                if (AreDifferentMessages(existing.Contract, target.Contract))
                    Throw.TypeTaken(target.Type, existing.Description, target.Description);
                if (ifRegistered == DuplicateHandlerBehavior.Throw)
                    Throw.HasHandler(target.Type, existing.Description, target.Description);
            }

            Publish(new Dictionary<uint, Target<T>>(_targets) { [target.Type] = target });
        }

        return new HandlerRegistration(() => Remove(target), running);
    }

    /// <summary>A raw handler and a typed one may take each other's place; two contracts of different messages are a collision of ids.</summary>
    private static bool AreDifferentMessages(MessageContract? existing, MessageContract? added) =>
        existing is not null && added is not null && existing.MessageType != added.MessageType;

    private void Remove(Target<T> target)
    {
        lock (_gate)
        {
            if (_targets.TryGetValue(target.Type, out var current) && current == target)
                Remove(target.Type);
        }
    }

    private Target<T> Track(Target<T> target, out RunningCalls? running)
    {
        running = _tracks ? new RunningCalls() : null;
        return running is null ? target : new TrackedTarget<T>(this, target, running);
    }

    private void Publish(Dictionary<uint, Target<T>> targets)
    {
        Volatile.Write(ref _targets, targets);
        BuildRoutes();
    }

    private void BuildRoutes()
    {
        var routes = new Route<T>[RouteCount];
        Array.Fill(routes, _lookup);
        foreach (var target in _targets.Values)
        {
            if (target.Type > MessageHeader.MaxShortType)
                continue;
            routes[target.Type] = target;
            routes[target.Type | MessageHeader.CompressedFlag] = new ShortCompressedRoute<T>(this, target);
        }

        var calls = new RouteCall<T>[RouteCount];
        var (lookup, unregistered) = (_lookup.Entry, _lookup.UnregisteredEntry);
        for (var i = 0; i < RouteCount; i++)
            calls[i] = routes[i] != _lookup ? routes[i].Entry : i <= MessageHeader.MaxShortType ? unregistered : lookup;

        Volatile.Write(ref _routes, routes);
        Volatile.Write(ref _calls, calls);
        PublishDirectEntries();
    }

    void ICountingObserver.OnCountingChanged()
    {
        lock (_gate)
            PublishDirectEntries();
    }

    /// <summary>Direct entries count nothing. While messages are counted, every message takes the longer way.</summary>
    private void PublishDirectEntries()
    {
        var direct = s_noDirectEntries;
        if (!OnDemandCounters.IsOn)
        {
            direct = new DirectEntry<T>[RouteCount];
            for (var i = 0; i < RouteCount; i++)
            {
                if (_routes[i].Direct is var entry && entry.Length <= _maxMessageSize)
                    direct[i] = entry;
            }
        }

        Volatile.Write(ref _direct, direct);
    }
}
