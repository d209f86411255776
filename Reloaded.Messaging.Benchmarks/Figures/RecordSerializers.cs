using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Google.Protobuf;
using MemoryPack;
using MessagePack;
using Reloaded.Messaging.Benchmarks.Generated;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The results of a serializer.</summary>
/// <param name="Name">The name for the reader.</param>
/// <param name="Size">The size of the serialized record in bytes.</param>
/// <param name="WrittenBytes">The bytes allocated by a write.</param>
/// <param name="ReadBytes">The bytes allocated by a read.</param>
public sealed record SerializerResult(string Name, int Size, double WrittenBytes, double ReadBytes)
{
    /// <summary>The nanoseconds of a write, in each round.</summary>
    public List<double> Writes { get; } = [];

    /// <summary>The nanoseconds of a read, in each round.</summary>
    public List<double> Reads { get; } = [];
}

/// <summary>Serializers that write a <see cref="PlayerRecord"/> into a buffer that is used again, and read it into new objects.</summary>
public static class RecordSerializers
{
    /// <summary>The name of MemoryPack, with whose speed the speed of this library is compared.</summary>
    public const string MemoryPack = "MemoryPack";

    private const int Rounds = 21;
    private const int Block = 100;

    private static readonly TimeSpan s_round = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(1);

    /// <summary>How the serializers are measured. Whole sentences for the report.</summary>
    public static readonly string Method = string.Create(CultureInfo.InvariantCulture, $"The serializers write a record of a player with eight items, tags and scores into a buffer that is used again, and read it into new objects. They run in one process and take turns in {Rounds} rounds of {s_round.TotalMilliseconds} ms; each must read the same values.");

    /// <returns>The results; the first one is that of this library.</returns>
    public static List<SerializerResult> Measure()
    {
        var serializers = Make(PlayerRecord.Make());
        var expected = serializers[0].Read();
        var results = serializers.ConvertAll(serializer => serializer.Read() == expected
            ? new SerializerResult(serializer.Name, (int)(serializer.Write() / Block), Race.Allocated(Block, 10, serializer.Write), Race.Allocated(Block, 10, serializer.Read))
            : throw new InvalidOperationException($"{serializer.Name} read other values than {serializers[0].Name}."));
        MeasureInTurns(serializers.ConvertAll(static serializer => serializer.Write), results.ConvertAll(static result => result.Writes));
        MeasureInTurns(serializers.ConvertAll(static serializer => serializer.Read), results.ConvertAll(static result => result.Reads));
        return results;
    }

    /// <summary>Returns the serializers. A call of <c>Write</c> or <c>Read</c> handles a block of records; <c>Write</c> returns the sum of the sizes.</summary>
    private static List<(string Name, Func<long> Write, Func<long> Read)> Make(PlayerRecord record)
    {
        var buffer = new ArrayBufferWriter<byte>(16 * 1024);

        var writer = new MessageWriter();
        var contract = MessageContract.GetDeclared<PlayerRecord>();
        using var packed = writer.Pack(contract, record);
        var payload = packed.Span.Slice(1).ToArray();

        var memoryPack = MemoryPackSerializer.Serialize(record);
        var messagePack = MessagePackSerializer.Serialize(record);

        var proto = record.ToProtobuf();
        var protobuf = proto.ToByteArray();

        var json = JsonSerializer.SerializeToUtf8Bytes(record, PlayerRecordContext.Default.PlayerRecord);
        var jsonWriter = new Utf8JsonWriter(buffer);

        return
        [
            ("this library", Repeating(() =>
            {
                using var message = writer.Pack(contract, record);
                return message.Length - 1; // without the header
            }), Repeating(() => contract.Serializer.TryDeserialize(payload, out var read) ? SumOf(read) : 0)),
            (MemoryPack, Writing(() => MemoryPackSerializer.Serialize(buffer, record)), Repeating(() => SumOf(MemoryPackSerializer.Deserialize<PlayerRecord>(memoryPack)!))),
            ("MessagePack", Writing(() => MessagePackSerializer.Serialize(buffer, record)), Repeating(() => SumOf(MessagePackSerializer.Deserialize<PlayerRecord>(messagePack)))),
            ("Google.Protobuf", Writing(() => proto.WriteTo(buffer)), Repeating(() => SumOf(ProtoPlayer.Parser.ParseFrom(protobuf)))),
            ("System.Text.Json, generated", Writing(() =>
            {
                jsonWriter.Reset(buffer);
                JsonSerializer.Serialize(jsonWriter, record, PlayerRecordContext.Default.PlayerRecord);
            }), Repeating(() => SumOf(JsonSerializer.Deserialize(json, PlayerRecordContext.Default.PlayerRecord)!))),
        ];

        Func<long> Writing(Action write) => Repeating(() =>
        {
            buffer.ResetWrittenCount();
            write();
            return buffer.WrittenCount;
        });
    }

    /// <summary>Returns a path that does some work for each record of a block, and returns the sum of the results.</summary>
    private static Func<long> Repeating(Func<long> work) => () =>
    {
        long sum = 0;
        for (var i = 0; i < Block; i++)
            sum += work();
        return sum;
    };

    private static long SumOf(PlayerRecord player) => player.Experience + player.Name.Length + player.Items.Count + player.Items[^1].Name.Length + player.Tags[^1].Length + player.Scores[^1];

    private static long SumOf(ProtoPlayer player) => player.Experience + player.Name.Length + player.Items.Count + player.Items[^1].Name.Length + player.Tags[^1].Length + player.Scores[^1];

    private static void MeasureInTurns(List<Func<long>> paths, List<List<double>> results)
    {
        var calls = paths.ConvertAll(WarmUp);
        for (var round = 0; round < Rounds; round++)
        {
            for (var turn = 0; turn < paths.Count; turn++)
            {
                var i = (turn + round) % paths.Count;
                var start = Stopwatch.GetTimestamp();
                for (var call = 0; call < calls[i]; call++)
                    paths[i]();
                results[i].Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds / (calls[i] * Block));
            }
        }
    }

    /// <summary>Runs a path until the JIT has compiled it for the last time. Returns the number of calls of a round.</summary>
    private static int WarmUp(Func<long> path)
    {
        var calls = 0;
        var start = Stopwatch.GetTimestamp();
        for (; Stopwatch.GetElapsedTime(start) < s_warmUp; calls++)
            path();
        return Math.Max(1, (int)(calls * (s_round / s_warmUp)));
    }
}
