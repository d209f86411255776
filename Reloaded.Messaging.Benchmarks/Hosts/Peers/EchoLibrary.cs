using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts.Peers;

/// <summary>The role of an <see cref="EchoLibrary"/> in the comparison.</summary>
public enum EchoRole
{
    /// <summary>This library.</summary>
    Ours,

    /// <summary>Hand-written code that does the same work.</summary>
    Floor,

    /// <summary>Another library.</summary>
    Peer,
}

/// <summary>A library, or hand-written code, that returns arrays of bytes to their sender: its server, which runs in another process, and its client.</summary>
/// <param name="Name">The name for the reader.</param>
/// <param name="Transport">The transport for the reader.</param>
/// <param name="Role">The role in the comparison.</param>
/// <param name="ListenAsync">Starts the server. The argument is a folder for sockets. Returns the server, which is disposable, and its address.</param>
/// <param name="ConnectAsync">Connects a client to the address of the server.</param>
public sealed record EchoLibrary(
    string Name,
    string Transport,
    EchoRole Role,
    Func<string, Task<(object Server, string Address)>> ListenAsync,
    Func<string, Task<EchoClient>> ConnectAsync)
{
    /// <summary>The transport that only this library has.</summary>
    public const string SharedMemory = "shared memory";

    private const string Tcp = "TCP";
    private const string Unix = "Unix socket";

    /// <summary>All libraries. Each has one connection.</summary>
    public static IReadOnlyList<EchoLibrary> All { get; } =
    [
        new("this library", Tcp, EchoRole.Ours, static _ => MessagingEcho.ListenAsync(MessageEndpoint.Tcp(0)), MessagingEcho.ConnectAsync),
        new("this library", Unix, EchoRole.Ours, static folder => MessagingEcho.ListenAsync(MessageEndpoint.Unix(Path.Combine(folder, "messaging.sock"))), MessagingEcho.ConnectAsync),
        new("this library", SharedMemory, EchoRole.Ours, static _ => MessagingEcho.ListenAsync(MessageEndpoint.SharedMemory($"peers-{Environment.ProcessId}")), MessagingEcho.ConnectAsync),
        new("hand-written socket", Tcp, EchoRole.Floor, static _ => SocketEcho.ListenAsync(MessageEndpoint.Tcp(0)), SocketEcho.ConnectAsync),
        new("hand-written socket", Unix, EchoRole.Floor, static folder => SocketEcho.ListenAsync(MessageEndpoint.Unix(Path.Combine(folder, "socket.sock"))), SocketEcho.ConnectAsync),
        new("StreamJsonRpc, MessagePack", Unix, EchoRole.Peer, StreamJsonRpcEcho.ListenAsync, StreamJsonRpcEcho.ConnectAsync),
        new("gRPC", Unix, EchoRole.Peer, GrpcEcho.ListenAsync, GrpcEcho.ConnectAsync),
        new("SignalR, MessagePack", Tcp, EchoRole.Peer, SignalREcho.ListenAsync, SignalREcho.ConnectAsync),
        new("NetMQ", Tcp, EchoRole.Peer, NetMqEcho.ListenAsync, NetMqEcho.ConnectAsync),
    ];

    /// <summary>The name with the transport.</summary>
    public string FullName => $"{Name} ({Transport})";

    /// <summary>Returns this library, or the hand-written code, over the same transport.</summary>
    public EchoLibrary Counterpart(EchoRole role) => All.Single(other => other.Role == role && other.Transport == Transport);
}

/// <summary>A connected client of an <see cref="EchoLibrary"/>.</summary>
public abstract class EchoClient : IAsyncDisposable
{
    private const int Samples = 1 << 20; // more than the requests of a round; the requests after them have no latency

    private static readonly int[] s_latencies = new int[Samples];

    /// <summary>Sends requests for a time. Each of a number of loops awaits the reply before it sends the next request.</summary>
    /// <param name="size">The size of the payload in bytes (8 or more).</param>
    /// <param name="inFlight">The number of loops.</param>
    /// <param name="time">The time.</param>
    /// <returns>The number of replies per second, their number, and the median and the 99th percentile of the latencies in microseconds.</returns>
    public async Task<(double Rate, long Count, double P50, double P99)> AskAsync(int size, int inFlight, TimeSpan time)
    {
        var share = Samples / inFlight;
        var payloads = Enumerable.Range(0, inFlight).Select(_ => new byte[size]).ToArray();
        var before = Stopwatch.GetTimestamp();
        var until = before + (long)(time.TotalSeconds * Stopwatch.Frequency);
        var counts = await Task.WhenAll(payloads.Select((payload, loop) => Task.Run(() => LoopAsync(payload, loop, until, new ArraySegment<int>(s_latencies, loop * share, share)))));
        var seconds = Stopwatch.GetElapsedTime(before).TotalSeconds;

        var measured = 0;
        for (var loop = 0; loop < inFlight; loop++)
        {
            var count = Math.Min(counts[loop], share);
            Array.Copy(s_latencies, loop * share, s_latencies, measured, count);
            measured += count;
        }

        var sorted = s_latencies.AsSpan(0, measured);
        sorted.Sort();
        long sum = counts.Sum(static count => (long)count);
        return (sum / seconds, sum, Microseconds(sorted[measured / 2]), Microseconds(sorted[measured * 99 / 100]));

        static double Microseconds(int ticks) => ticks * 1e6 / Stopwatch.Frequency;
    }

    /// <summary>Does the same with several clients of the same library, without latencies. Returns the number of replies per second.</summary>
    public static async Task<double> AskAsync(EchoClient[] clients, int size, int inFlight, TimeSpan time)
    {
        var before = Stopwatch.GetTimestamp();
        var until = before + (long)(time.TotalSeconds * Stopwatch.Frequency);
        var counts = await Task.WhenAll(clients.SelectMany(client => Enumerable.Range(0, inFlight).Select(loop => Task.Run(() => client.LoopAsync(new byte[size], loop, until, default)))));
        return counts.Sum(static count => (long)count) / Stopwatch.GetElapsedTime(before).TotalSeconds;
    }

    public abstract ValueTask DisposeAsync();

    /// <summary>Sends a request after each reply until a timestamp. Returns the number of replies.</summary>
    protected abstract Task<int> LoopAsync(byte[] payload, int loop, long until, ArraySegment<int> latencies);
}

/// <inheritdoc/>
/// <typeparam name="TReply">The reply of the library.</typeparam>
public abstract class EchoClient<TReply> : EchoClient
{
    protected abstract ValueTask<TReply> EchoAsync(byte[] payload);

    protected abstract ReadOnlyMemory<byte> BytesOf(TReply reply);

    /// <inheritdoc/>
    protected sealed override async Task<int> LoopAsync(byte[] payload, int loop, long until, ArraySegment<int> latencies)
    {
        var count = 0;
        BinaryPrimitives.WriteInt32LittleEndian(payload, loop);
        for (var before = Stopwatch.GetTimestamp(); before < until;)
        {
            BinaryPrimitives.WriteInt32LittleEndian(payload.AsSpan(sizeof(int)), count);
            var reply = BytesOf(await EchoAsync(payload));
            if (reply.Length != payload.Length || !reply.Span.StartsWith(payload.AsSpan(0, 2 * sizeof(int))))
                throw new InvalidOperationException($"The reply has {reply.Length} bytes and belongs to another request. The request is number {count} of loop {loop} and has {payload.Length} bytes.");
            var after = Stopwatch.GetTimestamp();
            if (count < latencies.Count)
                latencies[count] = (int)Math.Min(after - before, int.MaxValue);
            before = after;
            count++;
        }

        return count;
    }
}

/// <summary>This library with its default options, except for the number of pending bytes: 255 payloads of 64 KiB are more than the default allows.</summary>
public static class MessagingEcho
{
    private static readonly MessageHostOptions s_options = new() { Limits = new HostLimits { MaxPendingBytes = 32 << 20 } };

    public static async Task<(object Server, string Address)> ListenAsync(MessageEndpoint endpoint)
    {
        var server = await MessageHost.ListenAsync(
            endpoint,
            static host =>
            {
                host.OnRequest(static (in EchoBytes message, Peer _) => message);
                host.OnRequest(static async (SendItems request, IAsyncEnumerable<EchoBytes> items, CancellationToken _) => new ItemCount(await Items.CountAsync(items, request.IsSlow)));
                host.OnStream(static (ReceiveItems request) => Items.Source(new EchoBytes(new byte[request.Size]), request.Milliseconds));
                host.OnStream(static (ExchangeItems _, IAsyncEnumerable<EchoBytes> items, CancellationToken _) => items);
            },
            s_options);
        return (server, server.Endpoint.ToString());
    }

    public static async Task<EchoClient> ConnectAsync(string address) => new Client(await MessageHost.ConnectAsync(MessageEndpoint.Parse(address), options: s_options));

    private sealed class Client(MessageClient client) : EchoClient<EchoBytes>, IItemExchange
    {
        public async Task<long> SendAsync(int size, int milliseconds, bool isSlow, Action? returned) => (await client.Server.RequestAsync(
            MessageContract.GetDeclared<SendItems>(), MessageContract.GetDeclared<EchoBytes>(), MessageContract.GetDeclared<ItemCount>(), new SendItems(isSlow), Source(size, milliseconds, returned))).Count;

        public Task<long> ReceiveAsync(int size, int milliseconds) => Items.CountAsync(client.StreamAsync<ReceiveItems, EchoBytes>(new ReceiveItems(size, milliseconds)));

        public Task<long> ExchangeAsync(int size, int milliseconds) => Items.CountAsync(client.Server.StreamAsync(
            MessageContract.GetDeclared<ExchangeItems>(), MessageContract.GetDeclared<EchoBytes>(), MessageContract.GetDeclared<EchoBytes>(), default, Source(size, milliseconds)));

        private static IAsyncEnumerable<EchoBytes> Source(int size, int milliseconds, Action? returned = null) => Items.Source(new EchoBytes(new byte[size]), milliseconds, returned);

        protected override ValueTask<EchoBytes> EchoAsync(byte[] payload) => client.RequestAsync<EchoBytes, EchoBytes>(new EchoBytes(payload));

        protected override ReadOnlyMemory<byte> BytesOf(EchoBytes reply) => reply.Data;

        public override ValueTask DisposeAsync() => client.DisposeAsync();
    }
}
