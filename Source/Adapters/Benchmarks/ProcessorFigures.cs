using System;
using LiteNetLib.Utils;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Adapters.Benchmarks;

/// <summary>Group <c>processor</c>: a class with a short text packed and dispatched, compared with the <see cref="NetPacketProcessor"/> of LiteNetLib. No network.</summary>
internal sealed class ProcessorFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Block = 50;
    private const int AllocationCalls = 200;

    private readonly ProcessorMessage _message = new() { Id = 123_456_789, X = 17, Y = 4, Name = "a text of 20 letters" };
    private readonly NetPacketProcessor _processor = new();
    private readonly NetDataWriter _packets = new();
    private readonly NetDataReader _received = new();
    private readonly MessageWriter _writer = new();
    private readonly MessageDispatcher<long> _dispatcher = new();
    private long _sum;

    public override string Method => "50 messages in a block, each packed and handled; 41 rounds in turn.";

    public override void Measure()
    {
        using var batch = new MessageBatch();
        _processor.SubscribeReusable<ProcessorMessage>(message => _sum += Sum(message));
        _dispatcher.Register<ProcessorMessage>(static (in ProcessorMessage message, ref long sum) => sum += Sum(message));

        var race = Race.Run("processor", Block, Processor, () => Ours(batch));
        Report("processor.ratio", "ratio", race.Ratios, 1);
        Report("processor.floor.ns", "ns", race.Floor);
        Report("processor.ns", "ns", race.Measured);
        Report("processor.floor.alloc", "B", [Race.Allocated(Block, AllocationCalls, Processor)]);
        Report("processor.alloc", "B", [Race.Allocated(Block, AllocationCalls, () => Ours(batch))]);
        Report("processor.floor.size", "B", [_packets.Length / (double)Block]);
        Report("processor.size", "B", [batch.Length / (double)Block]);
    }

    private static long Sum(ProcessorMessage message) => message.Id + message.X + message.Y + message.Name.Length;

    private long Processor()
    {
        _sum = 0;
        _packets.Reset();
        for (var i = 0; i < Block; i++)
            _processor.Write(_packets, _message);
        _received.SetSource(_packets.Data, 0, _packets.Length);
        _processor.ReadAllPackets(_received);
        return _sum;
    }

    private long Ours(MessageBatch batch)
    {
        long sum = 0;
        batch.Clear();
        for (var i = 0; i < Block; i++)
            _writer.Append(batch, _message);
        foreach (var message in batch)
            _dispatcher.Dispatch(message, ref sum);
        return sum;
    }
}
