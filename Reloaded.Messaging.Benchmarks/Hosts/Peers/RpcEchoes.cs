using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Reloaded.Messaging.Benchmarks.Generated;
using Reloaded.Messaging.Hosting;
using StreamJsonRpc;

namespace Reloaded.Messaging.Benchmarks.Hosts.Peers;

/// <summary>StreamJsonRpc over a Unix socket, with MessagePack and lengths in binary: its fastest formatter and message handler.</summary>
public static class StreamJsonRpcEcho
{
    public static Task<(object Server, string Address)> ListenAsync(string folder)
    {
        var endpoint = MessageEndpoint.Unix(Path.Combine(folder, "streamjsonrpc.sock"));
        var listener = BareSockets.Listen(endpoint);
        _ = BareSockets.AcceptAllAsync(listener, static socket => Attach(socket, new Target()).Completion, CancellationToken.None);
        return Task.FromResult<(object, string)>((listener, endpoint.ToString()));
    }

    public static async Task<EchoClient> ConnectAsync(string address) => new Client(Attach(await BareSockets.ConnectAsync(MessageEndpoint.Parse(address)), target: null));

    private static JsonRpc Attach(Socket socket, Target? target)
    {
        var stream = new NetworkStream(socket, ownsSocket: true);
        var rpc = new JsonRpc(new LengthHeaderMessageHandler(stream, stream, new MessagePackFormatter()), target);
        rpc.StartListening();
        return rpc;
    }

    /// <summary>Returns items that are sent in groups and read ahead. The default is one item for each round trip.</summary>
    private static IAsyncEnumerable<byte[]> Group(IAsyncEnumerable<byte[]> items) => items.WithJsonRpcSettings(new JsonRpcEnumerableSettings { MaxReadAhead = 1000, MinBatchSize = 100 });

    private sealed class Target
    {
        public byte[] Echo(byte[] payload) => payload;

        public Task<long> Send(IAsyncEnumerable<byte[]> items, bool isSlow) => Items.CountAsync(items, isSlow);

        public IAsyncEnumerable<byte[]> Receive(int size, int milliseconds) => Group(Items.Source(new byte[size], milliseconds));
    }

    private sealed class Client(JsonRpc rpc) : EchoClient<byte[]>, IItemClient
    {
        public Task<long> SendAsync(int size, int milliseconds, bool isSlow, Action? returned) =>
            rpc.InvokeWithCancellationAsync<long>(nameof(Target.Send), [Group(Items.Source(new byte[size], milliseconds, returned)), isSlow], [typeof(IAsyncEnumerable<byte[]>), typeof(bool)], CancellationToken.None);

        public async Task<long> ReceiveAsync(int size, int milliseconds) => await Items.CountAsync(await rpc.InvokeAsync<IAsyncEnumerable<byte[]>>(nameof(Target.Receive), size, milliseconds));

        public override ValueTask DisposeAsync()
        {
            rpc.Dispose();
            return default;
        }

        protected override ValueTask<byte[]> EchoAsync(byte[] payload) => new(rpc.InvokeAsync<byte[]>(nameof(Target.Echo), payload));

        protected override ReadOnlyMemory<byte> BytesOf(byte[] reply) => reply;
    }
}

/// <summary>gRPC on Kestrel over a Unix socket. The payloads are not copied into messages.</summary>
public static class GrpcEcho
{
    private const int MaxStreams = 512; // Kestrel's default of 100 is less than the requests in flight

    public static async Task<(object Server, string Address)> ListenAsync(string folder)
    {
        var path = Path.Combine(folder, "grpc.sock");
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(options =>
        {
            options.Limits.Http2.MaxStreamsPerConnection = MaxStreams;
            options.ListenUnixSocket(path, static listen => listen.Protocols = HttpProtocols.Http2);
        });
        builder.Services.AddGrpc();
        var app = builder.Build();
        app.MapGrpcService<Service>();
        await app.StartAsync();
        return (app, path);
    }

    public static Task<EchoClient> ConnectAsync(string address) =>
        Task.FromResult<EchoClient>(new Client(GrpcChannel.ForAddress("http://localhost", new GrpcChannelOptions { HttpHandler = KestrelEcho.HandlerOf(address) })));

    private sealed class Service : ByteEcho.ByteEchoBase
    {
        public override Task<EchoData> Echo(EchoData request, ServerCallContext context) => Task.FromResult(request);

        public override async Task<ItemNumber> Send(IAsyncStreamReader<EchoData> items, ServerCallContext context) =>
            new() { Value = await Items.CountAsync(items.ReadAllAsync()) };

        public override async Task<ItemNumber> SendSlow(IAsyncStreamReader<EchoData> items, ServerCallContext context) =>
            new() { Value = await Items.CountAsync(items.ReadAllAsync(), isSlow: true) };

        public override Task Receive(ItemSource request, IServerStreamWriter<EchoData> items, ServerCallContext context) => WriteAsync(Source(request.Size, request.Milliseconds), items);

        public override async Task Exchange(IAsyncStreamReader<EchoData> items, IServerStreamWriter<EchoData> returned, ServerCallContext context)
        {
            await foreach (var item in items.ReadAllAsync())
                await returned.WriteAsync(item);
        }
    }

    private static IAsyncEnumerable<EchoData> Source(int size, int milliseconds, Action? returned = null) =>
        Items.Source(new EchoData { Data = UnsafeByteOperations.UnsafeWrap(new byte[size]) }, milliseconds, returned);

    private static async Task WriteAsync(IAsyncEnumerable<EchoData> items, IAsyncStreamWriter<EchoData> writer)
    {
        await foreach (var item in items)
            await writer.WriteAsync(item);
    }

    private sealed class Client(GrpcChannel channel) : EchoClient<EchoData>, IItemExchange
    {
        private readonly ByteEcho.ByteEchoClient _client = new(channel);

        public async Task<long> SendAsync(int size, int milliseconds, bool isSlow, Action? returned)
        {
            using var call = isSlow ? _client.SendSlow() : _client.Send();
            try
            {
                await WriteAsync(Source(size, milliseconds, returned), call.RequestStream);
                await call.RequestStream.CompleteAsync();
            }
            catch (Exception e) when (isSlow && e is RpcException or InvalidOperationException)
            {
                // the server has replied without the rest
            }

            return (await call.ResponseAsync).Value;
        }

        public async Task<long> ReceiveAsync(int size, int milliseconds)
        {
            using var call = _client.Receive(new ItemSource { Size = size, Milliseconds = milliseconds });
            return await Items.CountAsync(call.ResponseStream.ReadAllAsync());
        }

        public async Task<long> ExchangeAsync(int size, int milliseconds)
        {
            using var call = _client.Exchange();
            var counting = Items.CountAsync(call.ResponseStream.ReadAllAsync());
            await WriteAsync(Source(size, milliseconds), call.RequestStream);
            await call.RequestStream.CompleteAsync();
            return await counting;
        }

        public override ValueTask DisposeAsync()
        {
            channel.Dispose();
            return default;
        }

        protected override ValueTask<EchoData> EchoAsync(byte[] payload) => new(_client.EchoAsync(new EchoData { Data = UnsafeByteOperations.UnsafeWrap(payload) }).ResponseAsync);

        protected override ReadOnlyMemory<byte> BytesOf(EchoData reply) => reply.Data.Memory;
    }
}

/// <summary>SignalR over a WebSocket on TCP, with MessagePack.</summary>
public static class SignalREcho
{
    private const int MaxMessageSize = 1 << 20; // the default of 32 KiB is less than the largest payload

    public static async Task<(object Server, string Address)> ListenAsync(string folder)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(static options => options.Listen(IPAddress.Loopback, 0));
        builder.Services.AddSignalR(static options => options.MaximumReceiveMessageSize = MaxMessageSize).AddMessagePackProtocol();
        var app = builder.Build();
        app.MapHub<EchoHub>("/echo");
        await app.StartAsync();
        return (app, new Uri(new Uri(string.Join("", app.Urls)), "echo").ToString());
    }

    public static async Task<EchoClient> ConnectAsync(string address)
    {
        var connection = new HubConnectionBuilder()
            .WithUrl(address, static options => (options.SkipNegotiation, options.Transports) = (true, HttpTransportType.WebSockets))
            .AddMessagePackProtocol()
            .Build();
        await connection.StartAsync();
        return new Client(connection);
    }

    private sealed class EchoHub : Hub
    {
        public byte[] Echo(byte[] payload) => payload;

        public Task<long> Send(IAsyncEnumerable<byte[]> items, bool isSlow) => Items.CountAsync(items, isSlow);

        public IAsyncEnumerable<byte[]> Receive(int size, int milliseconds) => Items.Source(new byte[size], milliseconds);

        public IAsyncEnumerable<byte[]> Exchange(IAsyncEnumerable<byte[]> items) => items;
    }

    private sealed class Client(HubConnection connection) : EchoClient<byte[]>, IItemExchange
    {
        public Task<long> SendAsync(int size, int milliseconds, bool isSlow, Action? returned) => connection.InvokeAsync<long>(nameof(EchoHub.Send), Items.Source(new byte[size], milliseconds, returned), isSlow);

        public Task<long> ReceiveAsync(int size, int milliseconds) => Items.CountAsync(connection.StreamAsync<byte[]>(nameof(EchoHub.Receive), size, milliseconds));

        public Task<long> ExchangeAsync(int size, int milliseconds) => Items.CountAsync(connection.StreamAsync<byte[]>(nameof(EchoHub.Exchange), Items.Source(new byte[size], milliseconds)));

        public override ValueTask DisposeAsync() => connection.DisposeAsync();

        protected override ValueTask<byte[]> EchoAsync(byte[] payload) => new(connection.InvokeAsync<byte[]>(nameof(EchoHub.Echo), payload));

        protected override ReadOnlyMemory<byte> BytesOf(byte[] reply) => reply;
    }
}
