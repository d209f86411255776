using Microsoft.IO;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.RecyclableStreams;

namespace Reloaded.Messaging.Benchmarks.Streams;

/// <summary>Group <c>streams</c>: packing into a recyclable stream and dispatching from it, compared with the library's buffers.</summary>
internal sealed class StreamFigures : FigureGroup
{
    private const int Block = 50;
    private const int AllocationCalls = 200; // calls with one block each: 10,000 messages
    private const int RoundMilliseconds = 40; // longer, because streams are allocated

    private static readonly MessageContract<ReadOnlyMemory<byte>> s_contract = new(3, new RawSerializer());

    private readonly MessageWriter _writer = new();
    private readonly MessageDispatcher<long> _dispatcher = new();
    private readonly RecyclableMemoryStreamManager _manager = MessageStreams.CreateManager();

    private readonly RecyclableMemoryStream _reused;

    public StreamFigures(Action<Figure> print)
        : base(print) => _reused = _manager.GetStream();

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["streams.pack.ratio"] = "The stream is created for each message. `streams.pack-again` uses one stream again.",
    };

    public override string Method => "Packing into a stream of Microsoft.IO.RecyclableMemoryStream is compared with packing into the buffers of the library. The streams of `streams.pack` and `streams.roundtrip` are created and disposed for each message; the buffers of the library and the stream of `streams.pack-again` are reused. " + Race.Method;

    public override void Measure()
    {
        _ = _dispatcher.RegisterRaw(3, static (in _, payload, ref sum) => sum += payload.Length);
        var small = Samples.Bytes("example.remote.server.json");
        var large = new byte[100_000]; // seven blocks
        Compare("streams.pack", () => Pack(small), () => PackToStream(small), ratio: 4);
        Compare("streams.pack-again", () => Pack(small), () => PackAgain(small), ratio: 4, alloc: 0);
        Compare("streams.roundtrip", () => RoundTrip(small), () => RoundTripStream(small));
        Compare("streams.roundtrip-100k", () => RoundTrip(large), () => RoundTripStream(large));
    }

    private long Pack(byte[] payload)
    {
        long sum = 0;
        for (var i = 0; i < Block; i++)
        {
            using var packed = _writer.Pack(s_contract, payload);
            sum += packed.Length;
        }

        return sum;
    }

    private long PackToStream(byte[] payload)
    {
        long sum = 0;
        for (var i = 0; i < Block; i++)
        {
            using var stream = _writer.PackToStream(_manager, s_contract, payload);
            sum += stream.Length;
        }

        return sum;
    }

    private long PackAgain(byte[] payload)
    {
        long sum = 0;
        for (var i = 0; i < Block; i++)
        {
            _writer.PackToStream(_reused, s_contract, payload);
            sum += _reused.Length;
        }

        return sum;
    }

    private long RoundTrip(byte[] payload)
    {
        long sum = 0;
        for (var i = 0; i < Block; i++)
        {
            using var packed = _writer.Pack(s_contract, payload);
            _dispatcher.Dispatch(packed.Span, ref sum);
        }

        return sum;
    }

    private long RoundTripStream(byte[] payload)
    {
        long sum = 0;
        for (var i = 0; i < Block; i++)
        {
            using var stream = _writer.PackToStream(_manager, s_contract, payload);
            _dispatcher.Dispatch(stream, ref sum);
        }

        return sum;
    }

    private void Compare(string name, Func<long> own, Func<long> stream, double? ratio = null, double? alloc = null)
    {
        var race = RunRace(name, Block, own, stream, RoundMilliseconds);
        Report($"{name}.ratio", "ratio", race.Ratios, ratio);
        Report($"{name}.floor.ns", "ns", race.Floor);
        Report($"{name}.ns", "ns", race.Measured);
        Report($"{name}.floor.alloc", "B", [Race.Allocated(Block, AllocationCalls, own)]);
        Report($"{name}.alloc", "B", [Race.Allocated(Block, AllocationCalls, stream)], alloc);
    }
}
