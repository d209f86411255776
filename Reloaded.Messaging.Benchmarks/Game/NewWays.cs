using System;
using System.Buffers;
using Reloaded.Messaging.Games;

namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>The same work as in <see cref="OldWays"/>, done by the library. Each method returns the same checksum as its floor.</summary>
public sealed class NewWays : IDisposable
{
    private static readonly MessageContract<EntityUpdate> s_update = EntityUpdate.CreateContract(50);

    private readonly MessageWriter _writer = new();
    private readonly byte[] _encrypted = new byte[4096];
    private readonly BoundedRing<(uint Type, Step Payload)> _ring = new(64);
    private readonly MessageQueue<int> _queue = new(64);
    private readonly MessageDispatcher<QueueSum> _queueDispatcher = new();
    private readonly MessageDispatcher<Session> _dispatcher = new();
    private readonly EntityChanges _changes = new();
    private readonly EntityView _view = new();
    private readonly EntityView[] _views = [new(), new()];
    private readonly MessageHandler<CharacterList, Session> _delegate = Add;
    private readonly IMessageHandler<CharacterList, Session> _handler;

    public NewWays(IMessageHandler<CharacterList, Session>? handler = null)
    {
        _handler = handler ?? new Handler();
        _queueDispatcher.Register<Step>(static (in Step step, ref QueueSum sum) => sum.Value += step.X);
        _dispatcher.Register<CharacterList>(Add);
    }

    public long Serialize<T>(MessageContract<T> contract, T packet)
    {
        using var packed = _writer.Pack(contract, packet);
        packed.Span.CopyTo(_encrypted);
        return packed.Length + _encrypted[packed.Length - 1];
    }

    /// <summary>Only the ring of the queue, with existing packets and a predicate, as in the floor.</summary>
    public long Ring(Step[] packets)
    {
        foreach (var packet in packets)
            _ring.TryAdd((73, packet));

        long sum = 0;
        Func<(uint Type, Step Payload), bool> predicate = static _ => true;
        while (_ring.TryTake(out var next) && predicate(next))
            sum += next.Payload.X;
        return sum;
    }

    /// <summary>The queue in its normal use: messages are packed, enqueued, filtered, and dispatched to a handler.</summary>
    public long Queue(Step[] packets)
    {
        foreach (var packet in packets)
            _queue.Enqueue(_writer.Pack(packet), 0);
        var (sum, every) = (default(QueueSum), default(Every));
        _queue.Pump(_queueDispatcher, ref sum, ref every, PumpBudget.All);
        return sum.Value;
    }

    /// <param name="message">The message with its header.</param>
    public long Read(ReadOnlySpan<byte> message)
    {
        var session = new Session();
        _dispatcher.Dispatch(message, ref session);
        return session.Sum;
    }

    public long DecryptAndRead(byte[] message)
    {
        var rented = ArrayPool<byte>.Shared.Rent(message.Length);
        message.AsSpan().CopyTo(rented);
        var read = Read(rented.AsSpan(0, message.Length));
        ArrayPool<byte>.Shared.Return(rented);
        return read;
    }

    public long Context(ref Session session, CharacterList packet)
    {
        _delegate(in packet, ref session);
        return session.Sum;
    }

    public long Handle(ref Session session, CharacterList packet)
    {
        _handler.Handle(in packet, ref session);
        return session.Sum;
    }

    public long Broadcast(World.Creature[] creatures)
    {
        _view.Reset();
        _changes.Clear();
        _view.Begin(_changes);
        long sum = 0;
        foreach (var creature in creatures)
        {
            _view.See(creature.Id, creature);
            sum += creature.Id;
        }

        _view.TryEnd(out var update);
        using var packed = _writer.Pack(s_update, update);
        packed.Span.CopyTo(_encrypted);
        return sum + (packed.Length > 0 ? 1 : 0);
    }

    /// <summary>Collects the changes once, and composes the update of each client.</summary>
    /// <returns>The number of changed entities, over all clients.</returns>
    public long Track(World.Creature[] visible)
    {
        _changes.Clear();
        foreach (var creature in visible)
            _changes.Collect(creature.Id, creature);
        foreach (var view in _views)
        {
            view.Begin(_changes);
            foreach (var creature in visible)
                view.See(creature.Id, creature);
            view.TryEnd(out _);
        }

        return _changes.Count * _views.Length;
    }

    public void Dispose()
    {
        _queue.Dispose();
        _changes.Dispose();
    }

    private static void Add(in CharacterList packet, ref Session session) => session.Sum += packet.Page;

    public struct Session
    {
        public long Sum;
    }

    private struct QueueSum : IPumpState<int>
    {
        public long Value;

        public void SetSender(int sender) => Value += sender;
    }

    private readonly struct Every : IMessageFilter<int>
    {
        public bool Takes(ReadOnlySpan<byte> message, int sender) => true;
    }

    private sealed class Handler : IMessageHandler<CharacterList, Session>
    {
        public void Handle(in CharacterList message, ref Session state) => state.Sum += message.Page;
    }
}
