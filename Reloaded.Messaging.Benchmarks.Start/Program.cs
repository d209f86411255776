using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Runtime;
using System.Text.Json;
using System.Text.Json.Serialization;
using Reloaded.Messaging.Hosting;
using StreamJsonRpc;

namespace Reloaded.Messaging.Benchmarks.Start;

/// <summary>
/// A small program whose start is measured: <c>server FOLDER</c> replies until its input ends, and <c>bare FOLDER</c>, <c>library FOLDER</c> and <c>streamjsonrpc FOLDER</c> send one request over a Unix socket.
/// <c>pump</c> and <c>warm-pump</c> measure the first call of <see cref="MessageHost.Pump"/> with a message, without and after <see cref="MessageHost.WarmUpAsync"/>.
/// </summary>
public static class Program
{
    /// <summary>A request has arrived after this time. It includes the compilation of the receiving code.</summary>
    private static readonly TimeSpan s_arrival = TimeSpan.FromMilliseconds(500);

    private static async Task Main(string[] args)
    {
        var before = Stopwatch.GetTimestamp();
        TimeSpan? time = null;
        switch (args[0])
        {
            case "server":
                await ServeAsync(args[1]);
                return;
            case "bare":
                Check(await AskBareAsync(SocketPath(args[1], "bare")));
                break;
            case "library":
                await using (var client = await MessageHost.ConnectAsync(MessageEndpoint.Unix(SocketPath(args[1], "library"))))
                    Check((await client.RequestAsync<Term, Total>(new Term(1, 2))).Value);
                break;
            case "streamjsonrpc":
                using (var rpc = JsonRpc.Attach(await ConnectAsync(SocketPath(args[1], "streamjsonrpc"))))
                    Check(await rpc.InvokeAsync<int>("Add", 1, 2));
                break;
            case "pump" or "warm-pump":
                if (args[0] == "warm-pump")
                    await MessageHost.WarmUpAsync();
                time = await PumpAsync();
                break;
            default:
                throw new ArgumentException($"'{args[0]}' is not a client.");
        }

        var milliseconds = (time ?? Stopwatch.GetElapsedTime(before)).TotalMilliseconds;
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{milliseconds:F3} {JitInfo.GetCompiledMethodCount()}"));
    }

    private static string SocketPath(string folder, string name) => Path.Combine(folder, name);

    private static void Check(int sum)
    {
        if (sum != 3)
            throw new InvalidOperationException($"The reply is {sum} and not 3.");
    }

    /// <summary>Pumps the first message of a host.</summary>
    /// <returns>The time of the call.</returns>
    private static async Task<TimeSpan> PumpAsync()
    {
        var endpoint = MessageEndpoint.InProcess("first-pump");
        await using var server = await MessageHost.ListenAsync(endpoint, Register, new MessageHostOptions { IsPumped = true });
        await using var client = await MessageHost.ConnectAsync(endpoint);
        var replying = client.RequestAsync<Term, Total>(new Term(1, 2)).AsTask();
        await Task.Delay(s_arrival);
        var before = Stopwatch.GetTimestamp();
        server.Pump();
        var time = Stopwatch.GetElapsedTime(before);
        if (await Task.WhenAny(replying, Task.Delay(s_arrival)) != replying)
            throw new InvalidOperationException("The request arrived after the measured call of Pump.");
        Check((await replying).Value);
        return time;
    }

    private static void Register(MessageServer server) => _ = server.OnRequest(static (in Term term, Peer _) => new Total(term.Left + term.Right));

    private static async Task ServeAsync(string folder)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Unix(SocketPath(folder, "library")), Register);
        Accept(SocketPath(folder, "bare"), static async stream => await WriteAsync(stream, new JsonTotal(Sum(await ReadAsync(stream, Metadata.Default.JsonTerm))), Metadata.Default.JsonTotal));
        Accept(SocketPath(folder, "streamjsonrpc"), static stream => JsonRpc.Attach(stream, new Adder()).Completion);
        Console.WriteLine("ready");
        await Console.In.ReadToEndAsync();

        static int Sum(JsonTerm term) => term.Left + term.Right;
    }

    private static void Accept(string path, Func<Stream, Task> serve)
    {
        var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen();
        _ = AcceptAsync();

        async Task AcceptAsync()
        {
            while (true)
                _ = serve(new NetworkStream(await listener.AcceptAsync(), ownsSocket: true));
        }
    }

    private static async Task<NetworkStream> ConnectAsync(string path)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(path));
        return new NetworkStream(socket, ownsSocket: true);
    }

    private static async Task<int> AskBareAsync(string path)
    {
        await using var stream = await ConnectAsync(path);
        await WriteAsync(stream, new JsonTerm(1, 2), Metadata.Default.JsonTerm);
        return (await ReadAsync(stream, Metadata.Default.JsonTotal)).Value;
    }

    /// <summary>Writes the length of a message, and the message as JSON.</summary>
    private static async Task WriteAsync<T>(Stream stream, T message, System.Text.Json.Serialization.Metadata.JsonTypeInfo<T> metadata)
    {
        var json = JsonSerializer.SerializeToUtf8Bytes(message, metadata);
        var frame = new byte[sizeof(int) + json.Length];
        BitConverter.TryWriteBytes(frame, json.Length);
        json.CopyTo(frame, sizeof(int));
        await stream.WriteAsync(frame);
    }

    private static async Task<T> ReadAsync<T>(Stream stream, System.Text.Json.Serialization.Metadata.JsonTypeInfo<T> metadata)
    {
        var length = new byte[sizeof(int)];
        await stream.ReadExactlyAsync(length);
        var json = new byte[BitConverter.ToInt32(length)];
        await stream.ReadExactlyAsync(json);
        return JsonSerializer.Deserialize(json, metadata)!;
    }

    private sealed class Adder
    {
        public int Add(int left, int right) => left + right;
    }
}

/// <summary>The request of the library's client.</summary>
[Message(3)]
public readonly partial record struct Term(int Left, int Right);

/// <summary>The reply to <see cref="Term"/>.</summary>
[Message(4)]
public readonly partial record struct Total(int Value);

/// <summary>The request of the bare client.</summary>
public sealed record JsonTerm(int Left, int Right);

/// <summary>The reply to <see cref="JsonTerm"/>.</summary>
public sealed record JsonTotal(int Value);

[JsonSerializable(typeof(JsonTerm))]
[JsonSerializable(typeof(JsonTotal))]
internal sealed partial class Metadata : JsonSerializerContext;
