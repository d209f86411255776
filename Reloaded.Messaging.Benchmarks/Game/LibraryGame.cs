using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>The same work as in <see cref="BaselineGame"/>, done by the library. Each method returns the same checksum as its floor.</summary>
public sealed class LibraryGame : IDisposable
{
    private static readonly MessageContract<EntityUpdate> s_update = EntityUpdate.CreateContract(50);

    private readonly MessageWriter _writer = new();
    private readonly byte[] _encrypted = new byte[4096];
    private readonly MessageQueue<int> _queue = new(1024);
    private readonly MessageDispatcher<QueueSum> _queueDispatcher = new();
    private readonly MessageDispatcher<Session> _dispatcher = new();
    private readonly EntityChanges _changes = new();
    private readonly EntityView _view = new();
    private readonly EntityView[] _views = [new(), new()];
    private readonly MessageDispatcher<Session> _handlerDispatcher = new();
    private readonly MessageDispatcher<Peer> _contextDispatcher = new();
    private readonly MessageServer _server;
    private readonly MessageClient _client;
    private readonly PeerState<Session> _contexts = new(static _ => default(Session));
    private readonly Peer _peer;

    public LibraryGame()
    {
        var endpoint = MessageEndpoint.InProcess($"contexts-{Guid.NewGuid()}");
        _server = MessageHost.ListenAsync(endpoint).GetAwaiter().GetResult();
        _client = MessageHost.ConnectAsync(endpoint).GetAwaiter().GetResult();
        _peer = _client.Server;
        _ = _contextDispatcher.Register((in CharacterList packet, ref Peer peer) => _contexts.Of(peer).Sum += packet.Page);
        _ = _handlerDispatcher.Register(new Handler());
        _ = _queueDispatcher.Register<Step>(static (in Step step, ref QueueSum sum) => sum.Value += step.X);
        _ = _dispatcher.Register<CharacterList>(Add);
    }

    public long Serialize<T>(MessageContract<T> contract, T packet)
    {
        using var packed = _writer.Pack(contract, packet);
        packed.Span.CopyTo(_encrypted);
        return packed.Length + _encrypted[packed.Length - 1];
    }

    /// <summary>Messages are packed, enqueued, filtered, and dispatched to a handler.</summary>
    public long Queue(Step[] packets)
    {
        foreach (var packet in packets)
            _queue.Enqueue(_writer.Pack(packet), 0);
        var (sum, every) = (default(QueueSum), default(Every));
        _queue.Pump(_queueDispatcher, ref sum, ref every, PumpBudget.All);
        return sum.Value;
    }

    /// <summary>One thread packs and enqueues; this thread filters and dispatches.</summary>
    public long QueueBetweenThreads(int count)
    {
        var producer = Task.Run(() =>
        {
            for (var i = 0; i < count; i++)
            {
                var message = _writer.Pack(new Step(i, 2, 3));
                var spinner = default(SpinWait);
                while (_queue.Enqueue(message, 0) == EnqueueStatus.Full)
                    spinner.SpinOnce(sleep1Threshold: -1);
            }
        });
        var (sum, every) = (default(QueueSum), default(Every));
        var waiting = default(SpinWait);
        for (var handled = 0; handled < count;)
        {
            var pumped = _queue.Pump(_queueDispatcher, ref sum, ref every, PumpBudget.All).Pumped;
            handled += pumped;
            if (pumped == 0)
                waiting.SpinOnce(sleep1Threshold: -1);
        }

        producer.GetAwaiter().GetResult();
        return sum.Value;
    }

    /// <param name="message">The message with its header.</param>
    public long Read(ReadOnlySpan<byte> message)
    {
        var session = new Session();
        _dispatcher.Dispatch(message, ref session);
        return session.Sum;
    }

    /// <summary>Reads the packet from its bytes, and calls a handler with the context of the peer.</summary>
    public long Context(ReadOnlySpan<byte> message)
    {
        var peer = _peer;
        _contexts.Of(peer).Sum = 0;
        _contextDispatcher.Dispatch(message, ref peer);
        return _contexts.Of(peer).Sum;
    }

    /// <summary>Reads the packet from its bytes, and calls a handler object.</summary>
    public long Handle(ReadOnlySpan<byte> message)
    {
        var session = new Session();
        _handlerDispatcher.Dispatch(message, ref session);
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
        _client.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _server.DisposeAsync().AsTask().GetAwaiter().GetResult();
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
