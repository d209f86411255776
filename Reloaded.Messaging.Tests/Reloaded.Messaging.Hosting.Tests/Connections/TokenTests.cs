using System.Text;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class TokenTests
{
    [Theory]
    [InlineData("secret of 16 bytes", "secret of 16 bytes", true)]
    [InlineData("secret of 16 bytes", "secret of 16 byteS", false)]
    [InlineData("secret of 16 bytes", "", false)]
    [InlineData("", "secret of 16 bytes", false)]
    public async Task Both_sides_have_to_know_the_token(string here, string there, bool isRight)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), With(here));
        if (isRight)
        {
            await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: With(there)).InTime();
            Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
            return;
        }

        var exception = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, options: With(there)).InTime());

        Assert.Equal(DisconnectReason.WrongToken, exception.Reason);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.WrongToken) == 1);
        Assert.Empty(server.Peers);
    }

    [Fact]
    public async Task The_clients_own_hello_and_proof_sent_back_are_refused()
    {
        using var listener = new RawListener();
        var connecting = MessageHost.ConnectAsync(MessageEndpoint.Tcp(listener.Port), options: With("secret of 16 bytes"));
        using var raw = await listener.AcceptAsync();

        var (_, hello) = await raw.ReceiveAsync();
        await raw.SendAsync(RawPeer.Frame(MessageKind.Control, 0, 0, hello));
        var (_, proof) = await raw.ReceiveAsync();
        Assert.Equal(TokenProof.Size, proof.Length);
        await raw.SendAsync(RawPeer.Frame(MessageKind.Control, 0, 0, proof));

        var exception = await Assert.ThrowsAsync<HandshakeException>(() => connecting.InTime());
        Assert.Equal(DisconnectReason.WrongToken, exception.Reason);
    }

    [Fact]
    public async Task A_server_proves_nothing_to_who_has_proved_nothing()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: With("secret of 16 bytes"));
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        await raw.ReceiveAsync(); // its hello

        await raw.SendAsync([.. RawPeer.Hello(With("x")), .. RawPeer.Frame(MessageKind.Control, 0, 0, new byte[TokenProof.Size])]);

        Assert.InRange((await raw.ReceiveToEndAsync()).Count, 1, TokenProof.Size - 1); // the goodbye
        Assert.Equal(1, server.GetCount(DisconnectReason.WrongToken));
    }

    [Fact]
    public async Task A_proof_heard_in_another_handshake_is_refused()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: With("secret of 16 bytes"));
        var hello = HelloMessage.Create(With("secret of 16 bytes"), ContractDescriptor.WriteAll([]));
        byte[]? overheard = null;

        for (var attempt = 0; attempt < 2; attempt++)
        {
            using var raw = await RawPeer.ConnectAsync(server.Endpoint);
            var theirs = HelloMessage.TryRead((await raw.ReceiveAsync()).Payload)!;
            overheard ??= TokenProof.Make(Encoding.UTF8.GetBytes("secret of 16 bytes"), ofServer: false, hello.Nonce, theirs.Nonce);
            var connected = server.Connection();
            await raw.SendAsync([.. RawPeer.Hello(hello), .. RawPeer.Frame(MessageKind.Control, 0, 0, overheard), .. RawPeer.Accept]);
            if (attempt == 0)
                await (await connected.InTime()).DisconnectAsync().InTime();
            await raw.ReceiveToEndAsync();
        }

        Assert.Equal((1, 1), (server.GetCount(DisconnectReason.Requested), server.GetCount(DisconnectReason.WrongToken)));
    }

    [Fact]
    public async Task The_token_is_nowhere_in_what_is_sent()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: With("a token of some length"));
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);

        var (_, hello) = await raw.ReceiveAsync();
        var ours = HelloMessage.Create(With("x"), ContractDescriptor.WriteAll([]));
        var proof = TokenProof.Make("a token of some length"u8, ofServer: false, ours.Nonce, HelloMessage.TryRead(hello)!.Nonce);
        var connected = server.Connection();
        await raw.SendAsync([.. RawPeer.Hello(ours), .. RawPeer.Frame(MessageKind.Control, 0, 0, proof), .. RawPeer.Accept]);
        await (await connected.InTime()).DisconnectAsync().InTime();
        byte[] said = [.. hello, .. await raw.ReceiveToEndAsync()];

        Assert.True(said.Length > hello.Length + TokenProof.Size);
        Assert.Equal(-1, said.AsSpan().IndexOf("a token of"u8));
    }

    private static MessageHostOptions With(string token) => new() { Token = Encoding.UTF8.GetBytes(token) };
}
