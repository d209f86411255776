using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Hosts with a token against hosts of an earlier version, which send their contracts in the first hello.</summary>
public sealed class EarlierVersionTests
{
    private static readonly MessageHostOptions s_options = new() { Token = "a token of some length"u8.ToArray() };

    [Fact]
    public async Task Client_of_an_earlier_server_without_contracts_sends_its_contracts_after_the_last_hello()
    {
        Assert.Equal(["proof", "empty", "contracts"], await ReceiveHellosAsync(HelloWith(ContractDescriptor.WriteAll([]))));
    }

    [Fact]
    public async Task Client_of_an_earlier_server_with_contracts_sends_its_contracts_after_the_last_hello()
    {
        var contract = new MessageContract<Pong>(70, new BlittableSerializer<Pong>());

        Assert.Equal(["proof", "empty", "contracts"], await ReceiveHellosAsync(HelloWith(ContractDescriptor.WriteAll([contract]))));
    }

    [Fact]
    public async Task Client_of_a_server_of_this_version_sends_its_contracts_before_the_last_hello()
    {
        Assert.Equal(["proof", "contracts", "empty"], await ReceiveHellosAsync(HelloMessage.Create(s_options, ContractDescriptor.WriteAll([]))));
    }

    [Fact]
    public async Task Earlier_client_without_contracts_receives_the_contracts_of_the_server_after_the_last_hello()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Ping _, Peer _) => { }), s_options);
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        var theirs = HelloMessage.TryRead((await raw.ReceiveAsync()).Payload)!;
        var ours = HelloWith(ContractDescriptor.WriteAll([]));

        await raw.SendAsync([.. RawPeer.Hello(ours), .. Proof(ofServer: false, ours, theirs), .. RawPeer.Accept]);

        Assert.Equal(["proof", "empty", "contracts"], await ReceiveHellosAsync(raw));
    }

    [Fact]
    public void ContractsLater_read_by_an_earlier_version_is_one_contract_without_names()
    {
        var contracts = AnnouncedContracts.TryRead(HelloMessage.ContractsLater.ToArray())!;
        var contract = contracts.Read(0);

        Assert.Equal(1, contracts.Count);
        Assert.Equal((uint.MaxValue, "", "", 0, 0), (contract.Type, contract.Name, contract.Encoding, contract.Version, contract.Shape.Length));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Later_announcement_has_layouts_only_if_the_remote_side_has_sent_layouts(bool hasLayouts)
    {
        MessageContract[] contracts = [MessageContract.GetDeclared<Note>()];
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        var announcement = ContractDescriptor.WriteAll(contracts, hasLayouts ? LayoutLines.Of(contracts) : null);
        await raw.SendAsync([.. RawPeer.Hello(HelloMessage.Create(new MessageHostOptions(), announcement)), .. RawPeer.Accept]);
        await raw.ReceiveAsync();
        await raw.ReceiveAsync();
        await server.Connection().InTime();

        server.On((in Ping _, Peer _) => { });

        var later = AnnouncedContracts.TryRead((await raw.ReceiveAsync()).Payload)!;
        Assert.Equal((1u, hasLayouts), (later[0], later.HasLayouts));
    }

    private static HelloMessage HelloWith(byte[] contracts) => new() { MaxMessageSize = 1 << 20, Nonce = new byte[HelloMessage.NonceSize], HasToken = true, Contracts = contracts };

    private static byte[] Proof(bool ofServer, HelloMessage ours, HelloMessage theirs) =>
        RawPeer.Frame(MessageKind.Control, 0, 0, TokenProof.Make(s_options.Token.Span, ofServer, ours.Nonce, theirs.Nonce));

    /// <summary>Returns which hellos a client sends to a server after the first.</summary>
    private static async Task<List<string>> ReceiveHellosAsync(HelloMessage ours)
    {
        using var listener = new RawListener();
        var connecting = MessageHost.ConnectAsync(MessageEndpoint.Tcp(listener.Port), client => client.On((in Ping _, Peer _) => { }), s_options);
        using var raw = await listener.AcceptAsync();
        var theirs = HelloMessage.TryRead((await raw.ReceiveAsync()).Payload)!;
        await raw.SendAsync([.. RawPeer.Hello(ours), .. Proof(ofServer: true, ours, theirs), .. RawPeer.Accept]);
        var hellos = await ReceiveHellosAsync(raw);
        await using var client = await connecting.InTime();
        return hellos;
    }

    private static async Task<List<string>> ReceiveHellosAsync(RawPeer raw)
    {
        var hellos = new List<string>();
        for (var i = 0; i < 3; i++)
        {
            var (header, payload) = await raw.ReceiveAsync();
            Assert.Equal((MessageKind.Control, 0u), (header.Kind, header.Type));
            hellos.Add(payload.Length switch { 0 => "empty", TokenProof.Size => "proof", _ => "contracts" });
        }

        return hellos;
    }
}
