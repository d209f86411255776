using System.Linq;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class UnauthenticatedPeerTests
{
    private static readonly MessageHostOptions s_impatient = new() { Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromSeconds(2) } };

    public static TheoryData<string, byte[], DisconnectReason> Openings => new()
    {
        { "another protocol", "GET /index.html HTTP/1.1\r\nHost: localhost\r\nUser-Agent: something else\r\nAccept: */*\r\n\r\n"u8.ToArray(), DisconnectReason.NotAPeer },
        { "an empty frame", [0], DisconnectReason.NotAPeer },
        { "an endless length", [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], DisconnectReason.NotAPeer },
        { "a frame above 256 KiB", [.. RawPeer.Length((256 * 1024) + 1), 1, 2, 3], DisconnectReason.NotAPeer },
        { "an event", RawPeer.Frame(MessageKind.Event, 1, 0, 1, 2, 3), DisconnectReason.NotAPeer },
        { "a ping", RawPeer.Frame(MessageKind.Control, 1, 0), DisconnectReason.NotAPeer },
        { "an empty hello", RawPeer.Frame(MessageKind.Control, 0, 0), DisconnectReason.NotAPeer },
        { "another magic", RawPeer.Frame(MessageKind.Control, 0, 0, [.. "RLM4"u8, 1, 0, 0]), DisconnectReason.NotAPeer },
        { "another version", RawPeer.Frame(MessageKind.Control, 0, 0, [.. "RLM3"u8, 2]), DisconnectReason.WrongVersion },
        { "a hello cut short", RawPeer.Frame(MessageKind.Control, 0, 0, [.. "RLM3"u8, 1, 0, 0]), DisconnectReason.NotAPeer },
        { "a hello that takes nothing", RawPeer.Hello(new HelloMessage { MaxMessageSize = 127, Nonce = new byte[HelloMessage.NonceSize], Contracts = ContractDescriptor.WriteAll([]) }), DisconnectReason.NotAPeer },
        { "a goodbye", RawPeer.Frame(MessageKind.Control, 3, 0), DisconnectReason.Goodbye },
    };

    [Theory]
    [MemberData(nameof(Openings))]
    public async Task A_stranger_who_says_something_else_is_gone(string says, byte[] opening, DisconnectReason reason)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);

        await raw.SendAsync(opening);
        await raw.ReceiveToEndAsync();

        Assert.True(server.GetCount(reason) == 1, says);
        Assert.Equal(0, server.GetStatistics().Peers);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
    }

    [Theory]
    [InlineData("")]
    [InlineData("524C4D34010000")] // another magic
    [InlineData("524C4D3301000100000000000000000000000000000000")] // the contracts are missing
    [InlineData("524C4D33010080010000000000000000000000000000000003")] // a count of two, and no contract
    public async Task Hello_that_cannot_be_read_is_answered_with_a_reason(string payload)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);

        await raw.SendAsync(RawPeer.Frame(MessageKind.Control, 0, 0, Convert.FromHexString(payload)));

        await raw.ReceiveAsync(); // the server's hello
        var (header, goodbye) = await raw.ReceiveAsync();
        Assert.Equal((MessageKind.Control, 3u, (byte)DisconnectReason.NotAPeer), (header.Kind, header.Type, goodbye[0]));
        Assert.StartsWith("The ", System.Text.Encoding.UTF8.GetString(goodbye, 1, goodbye.Length - 1));
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.NotAPeer) == 1);
    }

    [Fact]
    public async Task Every_cut_of_a_hello_is_waited_for_and_then_given_up()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: s_impatient);
        var hello = RawPeer.Hello();

        await Task.WhenAll(Enumerable.Range(0, hello.Length).Select(async length =>
        {
            using var raw = await RawPeer.ConnectAsync(server.Endpoint);
            await raw.SendAsync(hello[..length]);
            await raw.ReceiveToEndAsync();
        }));

        Assert.Equal(hello.Length, server.GetCount(DisconnectReason.HandshakeTimeout));
        Assert.Empty(server.Peers);
    }

    [Fact]
    public async Task A_hello_may_come_one_byte_at_a_time()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var connection = server.Connection();
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);

        foreach (var one in (byte[])[.. RawPeer.Hello(), .. RawPeer.Accept])
            await raw.SendAsync([one]);

        Assert.True((await connection.InTime()).IsConnected);
    }

    [Fact]
    public async Task Every_flipped_bit_of_a_hello_is_an_answer_and_never_a_crash()
    {
        var limits = new HostLimits { MaxUnauthenticated = 10_000, MaxUnauthenticatedPerAddress = 10_000 }; // otherwise a connection may end before it has sent
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: new MessageHostOptions { Limits = limits });
        var hello = RawPeer.Hello(null, MessageContract.GetDeclared<Ping>());

        await Task.WhenAll(Enumerable.Range(0, hello.Length * 8).Select(async bit =>
        {
            var flipped = (byte[])hello.Clone();
            flipped[bit / 8] ^= (byte)(1 << (bit % 8));
            using var raw = await RawPeer.ConnectAsync(server.Endpoint);
            await raw.SendAsync([.. flipped, .. RawPeer.Frame(MessageKind.Control, 3, 0)]);
            raw.EndSending(); // the server waits no longer
            await raw.ReceiveToEndAsync();
        }));

        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0);
        Assert.Equal(0, server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Silent_connections_are_bounded_and_gone_after_the_timeout()
    {
        var options = new MessageHostOptions { Limits = new HostLimits { MaxUnauthenticated = 50, HandshakeTimeout = TimeSpan.FromSeconds(4) } };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options);
        await using var before = await MessageHost.ConnectAsync(server.Endpoint);
        var silent = new List<RawPeer>();

        for (var i = 0; i < 1000; i++)
        {
            silent.Add(await RawPeer.ConnectAsync(server.Endpoint));
        }

        await Task.WhenAll(silent.Select(raw => raw.ReceiveToEndAsync()));

        Assert.Equal(1000, server.GetCount(DisconnectReason.HandshakeTimeout) + server.GetCount(DisconnectReason.TooManyUnauthenticated));
        Assert.InRange(server.GetCount(DisconnectReason.TooManyUnauthenticated), 900, 950);
        Assert.Equal(1, server.GetStatistics().Peers);
        Assert.Equal(new Pong(1), await before.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        await using var after = await MessageHost.ConnectAsync(server.Endpoint);
        Assert.Equal(new Pong(2), await after.RequestAsync<Ping, Pong>(new Ping(2)).AsTask().InTime());
        silent.ForEach(raw => raw.Dispose());
    }

    [Fact]
    public async Task A_silent_server_is_given_up()
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        var endpoint = MessageEndpoint.Tcp(((System.Net.IPEndPoint)listener.LocalEndpoint).Port);
        MessageClient? client = null;

        var exception = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(endpoint, made => client = made, s_impatient).InTime());

        Assert.Equal(DisconnectReason.HandshakeTimeout, exception.Reason);
        Assert.Equal(0, client!.GetStatistics().Peers);
        Assert.False(client.Server.IsConnected);
    }
}
