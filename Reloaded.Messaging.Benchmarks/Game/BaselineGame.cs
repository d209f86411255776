using System.Buffers.Binary;
using System.IO;
using System.Reflection;

namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>The implementation of an existing game server, by the description on its benchmark page. It uses the serializer of the library, so that the figures compare the rest.</summary>
public sealed class BaselineGame
{
    private static readonly MessageWriter s_writer = new();

    private readonly object _gate = new();
    private readonly LinkedList<OldPacket> _queue = [];
    private readonly MethodInfo _deserialize = typeof(BaselineGame).GetMethod(nameof(Deserialize), BindingFlags.Static | BindingFlags.NonPublic)!.MakeGenericMethod(typeof(CharacterList));
    private readonly Type _contextType = typeof(OldContext);
    private readonly PropertyInfo _packet = typeof(OldContext).GetProperty(nameof(OldContext.Packet))!;
    private readonly PropertyInfo _connection = typeof(OldContext).GetProperty(nameof(OldContext.Connection))!;
    private readonly MethodInfo _execute = typeof(OldHandler).GetMethod(nameof(OldHandler.ExecuteAsync))!;
    private readonly OldHandler _handler = new();

    /// <summary>A stream, the copy of its contents, and the copy of the encryption, which does not encrypt here. The serializer is that of the library.</summary>
    public static long Serialize<T>(MessageContract<T> contract, T packet)
    {
        using var stream = new MemoryStream();
        using (var packed = s_writer.Pack(contract, packet))
            stream.Write(packed.Span);
        var encrypted = stream.ToArray().AsSpan().ToArray();
        return encrypted.Length + encrypted[^1];
    }

    /// <summary>A list with one object and one node for each packet, under a lock. Packets are taken by a predicate.</summary>
    public long Queue(Step[] packets)
    {
        foreach (var packet in packets)
        {
            lock (_gate)
                _queue.AddLast(new OldPacket(73, packet));
        }

        long sum = 0;
        while (TryNext(static _ => true) is { } next)
            sum += next.Payload.X;
        return sum;
    }

    /// <summary>One thread appends to the list; this thread takes by a predicate.</summary>
    public long QueueBetweenThreads(int count)
    {
        var producer = Task.Run(() =>
        {
            for (var i = 0; i < count; i++)
            {
                lock (_gate)
                    _queue.AddLast(new OldPacket(73, new Step(i, 2, 3)));
            }
        });
        long sum = 0;
        var waiting = default(SpinWait);
        for (var taken = 0; taken < count;)
        {
            if (TryNext(static _ => true) is not { } next)
            {
                waiting.SpinOnce(sleep1Threshold: -1);
                continue;
            }

            sum += next.Payload.X;
            taken++;
        }

        producer.GetAwaiter().GetResult();
        return sum;
    }

    /// <summary>A call by reflection, with an array of arguments and a boxed payload.</summary>
    public long Read(byte[] payload) =>
        ((CharacterList)_deserialize.Invoke(null, [new ReadOnlyMemory<byte>(payload), null, null])!).Page;

    /// <summary>A cached constructor call and two property setters by reflection.</summary>
    public long Context(Connection connection, CharacterList packet, Action<object> handle)
    {
        var context = Activator.CreateInstance(_contextType)!;
        _packet.SetValue(context, packet);
        _connection.SetValue(context, connection);
        handle(context);
        return connection.Sum;
    }

    /// <summary>A call of the handler by reflection, with an array of arguments and a boxed token.</summary>
    public long Handle(object context, CancellationToken token)
    {
        ((Task)_execute.Invoke(_handler, [context, token])!).GetAwaiter().GetResult();
        return ((OldContext)context).Connection.Sum;
    }

    /// <summary>One array and one object for each entity, one list for all entities, and the copies of the packet.</summary>
    public static long Broadcast(World.Creature[] creatures)
    {
        var added = new List<OldAdd>();
        long sum = 0;
        foreach (var creature in creatures)
        {
            var fields = new byte[24];
            BinaryPrimitives.WriteSingleLittleEndian(fields, creature.X);
            BinaryPrimitives.WriteSingleLittleEndian(fields.AsSpan(4), creature.Y);
            BinaryPrimitives.WriteSingleLittleEndian(fields.AsSpan(8), creature.Z);
            BinaryPrimitives.WriteInt32LittleEndian(fields.AsSpan(12), creature.Health);
            BinaryPrimitives.WriteInt32LittleEndian(fields.AsSpan(16), creature.Power);
            BinaryPrimitives.WriteInt32LittleEndian(fields.AsSpan(20), creature.Level);
            added.Add(new OldAdd(creature.Id, fields));
        }

        using var stream = new MemoryStream();
        foreach (var one in added)
        {
            stream.WriteByte((byte)one.Id);
            stream.Write(one.Fields);
            sum += one.Id;
        }

        var encrypted = stream.ToArray();
        return sum + (encrypted.Length > 0 ? 1 : 0);
    }

    internal static object? Deserialize<T>(ReadOnlyMemory<byte> payload, object? state, object? context) =>
        MessageContract.GetDeclared<T>().Serializer.TryDeserialize(payload.Span, out var value) ? value : null;

    private OldPacket? TryNext(Func<OldPacket, bool> predicate)
    {
        lock (_gate)
        {
            if (_queue.First is not { } first || !predicate(first.Value))
                return null;
            _queue.RemoveFirst();
            return first.Value;
        }
    }

    private sealed record OldPacket(uint Type, Step Payload);

    private sealed record OldAdd(uint Id, byte[] Fields);

    public sealed class Connection
    {
        public long Sum { get; set; }
    }

    public struct OldContext
    {
        public CharacterList Packet { get; set; }

        public Connection Connection { get; set; }
    }

    public sealed class OldHandler
    {
        public Task ExecuteAsync(object context, CancellationToken token)
        {
            var typed = (OldContext)context;
            typed.Connection.Sum += typed.Packet.Page;
            return Task.CompletedTask;
        }
    }
}
