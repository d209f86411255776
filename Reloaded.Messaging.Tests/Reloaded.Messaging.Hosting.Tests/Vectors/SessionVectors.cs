using System.Text.Json.Nodes;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>A whole session, frame by frame: with fixed nonces as a vector, and with a live server's nonce to be compared with that server.</summary>
/// <param name="token">The token, or no bytes.</param>
/// <param name="serverNonce">The server's nonce.</param>
internal sealed class SessionVectors(byte[] token, byte[] serverNonce)
{
    private readonly List<(bool IsServer, string What, byte[] Frame)> _steps = [];

    public static VectorFile Make()
    {
        var file = new VectorFile("sessions", "Whole sessions over a stream. steps: the frames of both sides, in order, each with its length. The server handles requests of type 1 (four bytes, answered with type 2 and the same bytes; a negative number gets fault 1000) and events of type 3, which it sends back. It announces the types 1, 2 and 3.");
        foreach (var token in (byte[][])[[], HandshakeVectors.Token])
        {
            var steps = new JsonArray();
            foreach (var (isServer, what, frame) in new SessionVectors(token, HandshakeVectors.ServerNonce).Write())
                steps.Add(new JsonObject { ["from"] = isServer ? "server" : "client", ["what"] = what, ["bytes"] = VectorFile.Hex(frame) });
            file.Add(token.Length == 0 ? "without a token" : "with a token", new JsonObject
            {
                ["token"] = VectorFile.Hex(token),
                ["clientNonce"] = VectorFile.Hex(HandshakeVectors.ClientNonce),
                ["serverNonce"] = VectorFile.Hex(HandshakeVectors.ServerNonce),
                ["steps"] = steps,
            });
        }

        return file;
    }

    /// <summary>A server that does what the sessions say.</summary>
    public static Task<MessageServer> ListenAsync(byte[] token) => MessageHost.ListenAsync(
        MessageEndpoint.Tcp(0),
        static server =>
        {
            server.OnRequest(static (Ping ping) => ping.Number < 0 ? throw new RequestFaultException(1000, "Negative: ß") : new Pong(ping.Number));
            server.On(static (in Note note, Peer from) => _ = from.Send(note));
        },
        new MessageHostOptions { Token = token });

    public List<(bool IsServer, string What, byte[] Frame)> Write()
    {
        var hasToken = token.Length > 0;
        MessageContract[] contracts = [MessageContract.GetDeclared<Ping>(), MessageContract.GetDeclared<Pong>(), MessageContract.GetDeclared<Note>()];
        var clientNonce = HandshakeVectors.ClientNonce;
        Client("hello, without contracts", Control(ControlCode.Hello, HandshakeVectors.WriteHello(clientNonce, hasToken)));
        Server("hello", Control(ControlCode.Hello, HandshakeVectors.WriteHello(serverNonce, hasToken, contracts)));
        if (hasToken)
        {
            Client("proof", Control(ControlCode.Hello, TokenProof.Make(token, false, clientNonce, serverNonce)));
            Server("proof", Control(ControlCode.Hello, TokenProof.Make(token, true, serverNonce, clientNonce)));
            Client("contracts: none", Control(ControlCode.Hello, [1]));
            Server("contracts", Control(ControlCode.Hello, ContractDescriptor.WriteAll(contracts)));
        }

        Client("last hello", Control(ControlCode.Hello, []));
        Server("last hello", Control(ControlCode.Hello, []));
        Client("ping", Control(ControlCode.Ping, VectorFile.Sequence(1, 8)));
        Server("pong", Control(ControlCode.Pong, VectorFile.Sequence(1, 8)));
        Client("event 3", Frame(new Note("hi"), MessageKind.Event, 0));
        Server("event 3", Frame(new Note("hi"), MessageKind.Event, 0));
        Client("request 1 with id 7", Frame(new Ping(42), MessageKind.Request, 7));
        Server("reply 2 with id 7", Frame(new Pong(42), MessageKind.Reply, 7));
        Client("request 1 with id 300", Frame(new Ping(-1), MessageKind.Request, 300));
        Server("fault of request 1 with id 300", RawPeer.Frame(MessageKind.Fault, 1, 300, Fault.Write(1000, "Negative: ß", 1 << 20)));
        Client("goodbye", Control(ControlCode.Goodbye, [0]));
        return _steps;
    }

    private void Client(string what, byte[] frame) => _steps.Add((false, what, frame));

    private void Server(string what, byte[] frame) => _steps.Add((true, what, frame));

    private static byte[] Control(uint opcode, byte[] payload) => RawPeer.Frame(MessageKind.Control, opcode, 0, payload);

    private static byte[] Frame<T>(in T message, MessageKind kind, uint correlationId)
    {
        using var packed = new MessageWriter().Pack(MessageContract.GetDeclared<T>(), in message, kind, correlationId);
        return [.. RawPeer.Length(packed.Length), .. packed.Span];
    }
}
