using System.Diagnostics;
using System.Globalization;
using System.Security.Cryptography;
using System.Text.Json;
using Reloaded.Messaging.Benchmarks.Processes;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>The kinds of sessions.</summary>
public enum SessionKind
{
    /// <summary>Hosts over TCP.</summary>
    Tcp,

    /// <summary>Hosts over UDP.</summary>
    Udp,

    /// <summary>TLS alone, by the framework.</summary>
    Tls,
}

/// <summary>The servers of the sessions in a separate process: a host that notifies its subscribers, and a server of TLS alone.</summary>
public sealed class SessionServer
{
    /// <summary>The argument with which this program runs as such a process.</summary>
    public const string Verb = "session-server";

    private readonly PeerState<Subscription> _subscriptions = new(static _ => default(Subscription));
    private PeerGroup _subscribers = null!;

    /// <summary>The options of both ends.</summary>
    public static MessageHostOptions OptionsFor(byte[] token, int sessions) => new()
    {
        Token = token,
        Protection = ProtectionOptions.WithToken(),
        Limits = new HostLimits { MaxPeers = sessions },
    };

    /// <summary>An endpoint of this machine.</summary>
    public static MessageEndpoint EndpointOf(SessionKind kind, int port) => kind == SessionKind.Udp ? MessageEndpoint.Udp("127.0.0.1", port) : MessageEndpoint.Tcp(port);

    /// <summary>Starts the process.</summary>
    /// <param name="sessions">The number of peers that the host permits.</param>
    /// <param name="kind">The transport of the host.</param>
    /// <returns>The process, and the address of its servers.</returns>
    public static async Task<(OtherProcess Process, SessionAddress Address)> StartAsync(int sessions, SessionKind kind)
    {
        var process = OtherProcess.Start(Verb, sessions.ToString(CultureInfo.InvariantCulture), kind.ToString());
        return (process, JsonSerializer.Deserialize<SessionAddress>(await process.ReadAsync())!);
    }

    /// <summary>Runs the servers in the other process. A command is the word <see cref="OtherProcess.MemoryCommand"/>, or the number of a change to send to every session.</summary>
    public static async Task RunAsync(string[] arguments)
    {
        var (sessions, kind) = (int.Parse(arguments[0], CultureInfo.InvariantCulture), Enum.Parse<SessionKind>(arguments[1]));
        var token = RandomNumberGenerator.GetBytes(32);
        var subscribers = new SessionServer();
        await using var host = await MessageHost.ListenAsync(EndpointOf(kind, 0), subscribers.Serve, OptionsFor(token, sessions));
        using var tls = new TlsServer();
        Console.WriteLine(JsonSerializer.Serialize(new SessionAddress(host.Endpoint.Port, token, tls.Port, tls.Hash)));
        while (await Console.In.ReadLineAsync() is { } line)
            Console.WriteLine(line == OtherProcess.MemoryCommand ? ProcessMemory.Read().Text : subscribers.Send(int.Parse(line, CultureInfo.InvariantCulture)));
    }

    private void Serve(MessageServer server)
    {
        _subscribers = new PeerGroup(server);
        _ = server.OnRequest((in Subscribe subscribe, Peer from) =>
        {
            _subscriptions.Of(from).Session = subscribe.Session;
            _subscribers.Join(from);
            return new Subscribed(subscribe.Session);
        });
    }

    /// <returns>The number of sessions that the change was sent to.</returns>
    private string Send(int sequence)
    {
        var sent = 0;
        foreach (var peer in _subscribers)
            sent += peer.Send(new ValueChanged(_subscriptions.Of(peer).Session, sequence, ReceiptBoard.ValueOf(sequence), Stopwatch.GetTimestamp())) == SendStatus.Sent ? 1 : 0;
        return sent.ToString(CultureInfo.InvariantCulture);
    }

    private struct Subscription
    {
        public int Session;
    }
}
