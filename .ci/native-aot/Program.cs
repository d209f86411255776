using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Threading.Tasks;
using NativeAot;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.PeerProcess.SharedMemory;

// One of the processes that the crash tests kill. A native one starts soon enough for a thousand of them.
if (args is [var serverName, SharedMemoryPeer.ServerVerb, var journal])
{
    await SharedMemoryPeer.ServeAsync(serverName, journal);
    return 0;
}

if (args is [var clientName, SharedMemoryPeer.ClientVerb])
{
    await SharedMemoryPeer.AskAsync(clientName);
    return 0;
}

// Exits with 0 if every step has the expected result. The first difference throws.
var spawn = new Spawn(new Guid("00112233-4455-6677-8899-aabbccddeeff"), new Pose(new Vector(1, 2, 3), new Vector(4, 5, 6)), Stance.Crouching);
PackAndDispatch(spawn);
ContractsByHand();
if (args is ["measure"])
{
    Console.WriteLine(Measure(spawn));
    return 0;
}

if (args is ["figures"])
{
    CoreFigures.Print();
    return 0;
}

await AskAsync(MessageEndpoint.InProcess("native-aot"));
if (args is ["start"])
    return 0; // the script measures the time from the start of the process to the first reply

await AskAsync(MessageEndpoint.Tcp(0));
await AskAsync(MessageEndpoint.Unix(Path.Combine(Path.GetTempPath(), $"native-aot-{Environment.ProcessId}.sock")));
await AskAsync(MessageEndpoint.OfProcess(Environment.ProcessId, "native-aot"));
Console.WriteLine("Packing, dispatching and requests have the expected results.");
return 0;

static void PackAndDispatch(Spawn spawn)
{
    var dispatcher = new MessageDispatcher<Spawn>();
    using var registration = dispatcher.Register<Spawn>(static (in Spawn message, ref Spawn received) => received = message);
    using var packed = new MessageWriter().Pack(spawn);
    var received = default(Spawn);
    Expect(DispatchStatus.Handled, dispatcher.Dispatch(packed.Span, ref received));
    Expect(spawn, received);
}

// The fastest of twenty rounds, and the bytes that the last round allocated.
static string Measure(Spawn spawn)
{
    const int Messages = 100_000;
    var dispatcher = new MessageDispatcher<float>();
    using var registration = dispatcher.Register<Spawn>(static (in Spawn message, ref float sum) => sum += message.Pose.Position.X);
    var writer = new MessageWriter();
    var (sum, best, allocated) = (0f, TimeSpan.MaxValue, 0L);
    for (var round = 0; round < 20; round++)
    {
        allocated = GC.GetAllocatedBytesForCurrentThread();
        var begun = Stopwatch.GetTimestamp();
        for (var i = 0; i < Messages; i++)
        {
            using var packed = writer.Pack(spawn);
            if (dispatcher.Dispatch(packed.Span, ref sum) != DispatchStatus.Handled)
                throw new InvalidOperationException("A message was not handled.");
        }

        var took = Stopwatch.GetElapsedTime(begun);
        best = took < best ? took : best;
        allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
    }

    return string.Create(CultureInfo.InvariantCulture, $"{best.TotalNanoseconds / Messages:F1} ns and {allocated / Messages} B");
}

static void ContractsByHand()
{
    var contract = new MessageContract<ByHand>(1, new BlittableSerializer<ByHand>());
    using var packed = new MessageWriter().Pack(contract, new ByHand(1, 2, 3));
    Expect("010100000002000300", Convert.ToHexString(packed.Span));
    try
    {
        _ = new BlittableSerializer<Padded>();
    }
    catch (NotSupportedException e) when (e.Message.Contains("padding at byte 5", StringComparison.Ordinal))
    {
        return;
    }

    throw new InvalidOperationException("A struct with padding was accepted.");
}

static async Task AskAsync(MessageEndpoint endpoint)
{
    Pose[] poses = [new(new Vector(1, 2, 3), default)];
    await using var server = await MessageHost.ListenAsync(endpoint, server => server.OnRequest((Ask ask) => new Reply(ask.Number, endpoint.ToString(), poses)));
    await using var client = await MessageHost.ConnectAsync(server.Endpoint);
    for (var number = 0; number < 10; number++)
    {
        var reply = await client.RequestAsync<Ask, Reply>(new Ask(number), TimeSpan.FromSeconds(10));
        Expect(number, reply.Number);
        Expect(endpoint.ToString(), reply.Text);
        Expect(poses[0], reply.Poses[0]);
    }
}

static void Expect<T>(T expected, T actual)
{
    if (!Equals(expected, actual))
        throw new InvalidOperationException($"Expected {expected}; got {actual}.");
}
