using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
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

    private sealed class Target
    {
        public byte[] Echo(byte[] payload) => payload;
    }

    private sealed class Client(JsonRpc rpc) : EchoClient<byte[]>
    {
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
    }

    private sealed class Client(GrpcChannel channel) : EchoClient<EchoData>
    {
        private readonly ByteEcho.ByteEchoClient _client = new(channel);

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
    }

    private sealed class Client(HubConnection connection) : EchoClient<byte[]>
    {
        public override ValueTask DisposeAsync() => connection.DisposeAsync();

        protected override ValueTask<byte[]> EchoAsync(byte[] payload) => new(connection.InvokeAsync<byte[]>(nameof(EchoHub.Echo), payload));

        protected override ReadOnlyMemory<byte> BytesOf(byte[] reply) => reply;
    }
}
