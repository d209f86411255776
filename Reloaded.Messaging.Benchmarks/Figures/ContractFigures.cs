using System.Text.Json;
using Google.Protobuf;
using ModLoader;
using Reloaded.Messaging.Benchmarks.Generated;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Group <c>contracts</c>: the contracts that <c>[Message]</c> generates, compared with JSON, Google.Protobuf, plain copies, and the same contracts without a pool.</summary>
public sealed class ContractFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Repeating = 30;
    private const int MoreThanTheCacheHolds = 600; // with at least 15 strings each; the cache holds 1024 strings
    private const int Items = 1000;

    private readonly MessageWriter _writer = new();

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["contract.protobuf.ratio"] = "Both sides create the message and its texts, which is a large part of the time: 208 B here, 216 B there.",
        ["contract.roundtrip.ratio"] = "The message has free-form JSON, which both sides parse in the same way. `contract.roundtrip.plain` is the same message without it.",
    };

    public override string Method => "`contract.roundtrip` is compared with System.Text.Json of the same library (source-generated metadata), `contract.array` with two copies, `contract.protobuf` and `contract.config.protobuf` with Google.Protobuf, and the rows with `pooled` with the same contract without a pool. " + Race.Method;

    public override void Measure()
    {
        RoundTrip();
        Pooled();
        Size();
        Floats();
        Protobuf();
        Notifications();
    }

    private static MessageDispatcher<long> DispatcherOf<T>(MessageContract<T> contract)
        where T : ModConfig
    {
        var dispatcher = new MessageDispatcher<long>();
        _ = dispatcher.Register(contract, static (in T message, ref long sum) => sum += message.ModId.Length + message.ModDescription!.Length);
        return dispatcher;
    }

    /// <summary>The handler reads the data of plugins as an element.</summary>
    private static MessageDispatcher<long> ConvertingDispatcherOf(MessageContract<ModConfig> contract)
    {
        var dispatcher = new MessageDispatcher<long>();
        _ = dispatcher.Register(contract, static (in message, ref sum) =>
            sum += message.ModId.Length + message.ModDescription!.Length + (message.PluginData is { ValueKind: JsonValueKind.Object } ? 1 : 0));
        return dispatcher;
    }

    private void RoundTrip()
    {
        var configs = new ModConfig[50];
        Array.Fill(configs, Samples.Typical);
        var json = new MessageContract<ModConfig>(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
        var generated = MessageContract.GetDeclared<ModConfig>();
        var (byJson, byGenerated, byText) = (ConvertingDispatcherOf(json), ConvertingDispatcherOf(generated), DispatcherOf(generated));
        // The sender has the data of plugins as an element, and the handler reads an element: each side converts the data in both directions.
        var race = RunRace(
            "contract.roundtrip",
            configs.Length,
            () => ContractPaths.ConvertAndRoundTrip(_writer, json, byJson, configs),
            () => ContractPaths.ConvertAndRoundTrip(_writer, generated, byGenerated, configs),
            roundMilliseconds: 80);
        ReportRace("contract.roundtrip", race, 0.2);

        var plain = new ModConfig[configs.Length];
        Array.Fill(plain, Samples.WithoutPluginData);
        race = RunRace(
            "contract.roundtrip.plain",
            plain.Length,
            () => ContractPaths.RoundTrip(_writer, json, byJson, plain),
            () => ContractPaths.RoundTrip(_writer, generated, byGenerated, plain),
            roundMilliseconds: 60);
        ReportRace("contract.roundtrip.plain", race, null);

        // Google.Protobuf has the data of plugins as text. So has the generated contract here; neither side converts it.
        var proto = Samples.ToProtobuf(Samples.Typical);
        var buffer = new byte[proto.CalculateSize()];
        race = RunRace(
            "contract.config.protobuf",
            configs.Length,
            () => ProtobufPaths.RoundTrip(proto, buffer, configs.Length),
            () => ContractPaths.RoundTrip(_writer, generated, byText, configs),
            roundMilliseconds: 60);
        ReportRace("contract.config.protobuf", race, null);
        AddPeer("pack, dispatch and read a mod configuration", "Google.Protobuf", race);

        var pooled = new PooledModConfig[configs.Length];
        Array.Fill(pooled, Samples.All[^1]);
        var contract = MessageContract.GetDeclared<PooledModConfig>();
        var (byPooled, byJsonText) = (DispatcherOf(contract), DispatcherOf(json));
        race = RunRace(
            "contract.roundtrip.pooled",
            configs.Length,
            () => ContractPaths.RoundTrip(_writer, json, byJsonText, configs),
            () => ContractPaths.RoundTrip(_writer, contract, byPooled, pooled),
            roundMilliseconds: 80);
        ReportRace("contract.roundtrip.pooled", race, null);
    }

    private void Pooled()
    {
        var contract = MessageContract.GetDeclared<PooledModConfig>();
        var dispatcher = DispatcherOf(contract);
        var repeating = Samples.Distinct(Repeating);
        var distinct = Samples.Distinct(MoreThanTheCacheHolds);
        Report("contract.roundtrip.pooled.alloc", "B", [Race.Allocated(Repeating, 1000, () => ContractPaths.RoundTrip(_writer, contract, dispatcher, repeating))], 0);
        Report("contract.roundtrip.distinct.alloc", "B", [Race.Allocated(MoreThanTheCacheHolds, 50, () => ContractPaths.RoundTrip(_writer, contract, dispatcher, distinct))]);
    }

    private void Size()
    {
        var json = new MessageContract<ModConfig>(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
        var generated = MessageContract.GetDeclared<ModConfig>();
        var (jsonBytes, bytes) = (0, 0);
        foreach (var config in Samples.All)
        {
            using var asJson = _writer.Pack(json, config);
            using var asGenerated = _writer.Pack(generated, config);
            jsonBytes += asJson.Length - 1;
            bytes += asGenerated.Length - 1;
        }

        Report("contract.size.ratio", "ratio", [(double)bytes / jsonBytes], 0.7);
    }

    private void Floats()
    {
        var values = new float[10_000];
        for (var i = 0; i < values.Length; i++)
            values[i] = i;
        var (between, copied, result) = (new byte[values.Length * sizeof(float)], new float[values.Length], new float[values.Length]);
        var contract = new MessageContract<float[]>(21, new FloatBlock());
        var race = RunRace(
            "contract.array",
            1,
            () => ContractFloors.CopyTwice(values, between, copied),
            () => ContractPaths.Floats(_writer, contract, values, result));
        ReportRace("contract.array", race, 1.3);
    }

    private void Protobuf()
    {
        var proto = new ProtoStatus { Id = 42, Size = 123_456_789, Progress = 0.75, IsLoaded = true, Flags = 5, Name = "example.remote.server", Path = "Mods/example.remote.server" };
        var statuses = new ModStatus[100];
        Array.Fill(statuses, new ModStatus { Id = 42, Size = 123_456_789, Progress = 0.75, IsLoaded = true, Flags = 5, Name = proto.Name, Path = proto.Path });
        var contract = MessageContract.GetDeclared<ModStatus>();
        var dispatcher = new MessageDispatcher<long>();
        _ = dispatcher.Register<ModStatus>(static (in ModStatus status, ref long sum) => sum += status.Id + status.Name.Length + status.Path.Length);
        var buffer = new byte[256];
        var race = RunRace(
            "contract.protobuf",
            statuses.Length,
            () => ContractFloors.Protobuf(proto, buffer, statuses.Length),
            () => ContractPaths.RoundTrip(_writer, contract, dispatcher, statuses),
            roundMilliseconds: 40);
        ReportRace("contract.protobuf", race, 0.45);
        AddPeer("pack, dispatch and read five numbers and two texts", "Google.Protobuf", race);
    }

    private void Notifications()
    {
        var batch = new NotificationBatch();
        for (var i = 0; i < Items; i++)
            batch.Items.Add(new Notification { Id = (uint)i, Value = i / 2.0, Status = 1, SourceTime = DateTime.UnixEpoch.AddSeconds(i), ServerTime = DateTime.UnixEpoch });

        var container = MessageContract.GetDeclared<NotificationBatch>();
        var payload = PayloadOf(container, batch);
        var pooled = Race.Allocated(Items, 200, () => ContractPaths.Pooled(container, payload, 1, ContractPaths.SumOf));
        var unpooled = Race.Allocated(Items, 200, () => ContractFloors.Unpooled(container, payload, 1, ContractPaths.SumOf));
        Report("pooled.notification.alloc", "B", [pooled]);
        Report("pooled.notification.new.alloc", "B", [unpooled]);
        Report("pooled.notification.alloc.ratio", "ratio", [pooled / unpooled], 0.004);
        ReportPooling("pooled.container", container, payload, Items, 1, ContractPaths.SumOf);

        var item = MessageContract.GetDeclared<Notification>();
        ReportPooling("pooled.notification", item, PayloadOf(item, batch.Items[^1]), Items, Items, static notification => notification.Id);
        var small = MessageContract.GetDeclared<SmallNote>();
        ReportPooling("pooled.small", small, PayloadOf(small, new SmallNote { Id = 1, Value = 2 }), Items, Items, static note => note.Value);
    }

    /// <summary>Reports a figure without a target, because pooling may be slower here.</summary>
    private void ReportPooling<T>(string name, MessageContract<T> contract, byte[] payload, int messages, int count, Func<T, long> sumOf)
    {
        var race = RunRace(
            name,
            messages,
            () => ContractFloors.Unpooled(contract, payload, count, sumOf),
            () => ContractPaths.Pooled(contract, payload, count, sumOf),
            roundMilliseconds: 40);
        ReportRace(name, race, null);
    }

    private byte[] PayloadOf<T>(MessageContract<T> contract, T message)
    {
        using var packed = _writer.Pack(contract, message);
        return packed.Span.Slice(1).ToArray();
    }
}
