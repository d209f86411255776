using System.Buffers.Binary;
using System.Diagnostics;
using System.Linq;
using System.Security.Cryptography;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Udp;

/// <summary>Group <c>udp</c>: requests over datagrams, compared with a plain socket, and encryption, compared with plain AES-GCM.</summary>
public sealed class UdpFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int MessageSize = 36;
    private const int Handshakes = 400;

    private static readonly byte[] s_secret = RandomNumberGenerator.GetBytes(32);

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["udp.oneway.ratio"] = "An event takes 0.5 µs of processor time, and a frame of the floor 0.28 µs. An event is packed, copied into the queue of its order and into a datagram, which is kept until it is acknowledged; the floor does not repeat what is lost.",
    };

    public override string Method => "Requests are compared with a plain UDP socket that sends one datagram in each direction, `oneway` with one that sends frames in datagrams of 1,200 bytes to a receiver that calls a handler for each and acknowledges each sixteenth datagram, encryption with AES-GCM of the framework; no checksum can be compared there, because the keys differ. " + PairedRuns.Method + " Handshakes: 3 rounds of 400.";

    public override void Measure()
    {
        Encrypt();
        MeasureAsync().GetAwaiter().GetResult();
    }

    private void Encrypt()
    {
        const int Block = 256;
        var bare = new BareCipher(MessageSize);
        using var ours = new OurCipher(s_secret, MessageSize);
        var race = RunRace("udp.encrypt", Block, () => bare.Run(Block), () => ours.Run(Block));
        Report("udp.encrypt.ratio", "ratio", race.Ratios, 1.3);
        Report("udp.encrypt.floor.ns", "ns", race.Floor);
        Report("udp.encrypt.ns", "ns", race.Measured);
        Report("udp.encrypt.alloc", "B", [Race.Allocated(Block, 20, () => ours.Run(Block))], 0);
    }

    private async Task MeasureAsync()
    {
        foreach (var (name, options) in new[] { ("udp.pingpong", new MessageHostOptions()), ("udp.protected.pingpong", new MessageHostOptions { Protection = ProtectionOptions.WithSecret(s_secret) }) })
        {
            await using var server = await ListenAsync(options);
            await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: options);
            if (OnlyAllocations)
                await Asking.OursAsync([client], 1, TimeSpan.FromSeconds(3)); // the runtime allocates while it still compiles
            using var echo = BareUdp.Bind();
            _ = BareUdp.EchoAsync(echo);
            using var socket = BareUdp.Connect(echo);
            var duel = await RunDuelAsync(time => BareUdp.AskAsync(socket, time), time => Asking.OursAsync([client], 1, time));
            ReportPaired(name, duel, options.Protection is null ? 0.8 : null);
            Report(options.Protection is null ? "udp.alloc" : "udp.protected.alloc", Figure.Bytes, await Asking.AllocatedAsync([client], 1), 0);
        }

        if (OnlyAllocations)
            return;
        await OneWayAsync();
        await HandshakesAsync("udp.handshake", MessageEndpoint.Udp(0));
        await HandshakesAsync("tcp.protected.handshake", MessageEndpoint.Tcp(0));
    }

    /// <summary>Compares reliable ordered events with frames in datagrams of the same size, which the receiver acknowledges.</summary>
    private async Task OneWayAsync()
    {
        long handled = 0;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), host =>
        {
            host.On((in OneWayMessage _, Peer _) => handled++);
            host.OnRequest((in HandledQuery _, Peer _) => new HandledReport(handled));
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, static host => host.Deliver<OneWayMessage>(DeliveryMode.ReliableOrdered));
        using var sink = BareUdp.Bind();
        _ = BareUdp.SinkAsync(sink);
        using var socket = BareUdp.Connect(sink);
        ReportPaired("udp.oneway", await RunDuelAsync(time => BareUdp.SendAsync(socket, time), time => OneWay.OursAsync(client, time)), 0.6);
    }

    /// <summary>Measures connections per second, with a Diffie-Hellman key exchange for each, and client and server in this process.</summary>
    private async Task HandshakesAsync(string name, MessageEndpoint endpoint)
    {
        var options = new MessageHostOptions { Token = s_secret, Protection = ProtectionOptions.WithToken(), Limits = new HostLimits { MaxPeers = 10_000 } };
        await using var server = await ListenAsync(options, endpoint);
        var rates = new List<double>();
        for (var round = 0; round < 4; round++)
        {
            var watch = Stopwatch.StartNew();
            var clients = new List<MessageClient>();
            for (var i = 0; i < Handshakes; i += 20)
                clients.AddRange(await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => MessageHost.ConnectAsync(server.Endpoint, options: options))));
            if (round > 0)
                rates.Add(Handshakes / watch.Elapsed.TotalSeconds);
            await Task.WhenAll(clients.Select(client => client.DisposeAsync().AsTask()));
        }

        Report($"{name}.rate", "connections/s", rates, 200, isAtLeast: true);
    }

    private static Task<MessageServer> ListenAsync(MessageHostOptions options, MessageEndpoint? endpoint = null) =>
        MessageHost.ListenAsync(endpoint ?? MessageEndpoint.Udp(0), host => host.OnRequest(static (in EchoMessage message, Peer _) => message), options);

    /// <summary>Plain AES-GCM with a counting nonce and the tag after the ciphertext.</summary>
    private sealed class BareCipher(int size)
    {
        private readonly AesGcm _cipher = new(s_secret, 16);
        private readonly byte[] _plain = new byte[size];
        private readonly byte[] _packet = new byte[size + 16];
        private readonly byte[] _nonce = new byte[12];
        private long _number;

        public long Run(int count)
        {
            for (var i = 0; i < count; i++)
            {
                BinaryPrimitives.WriteInt64LittleEndian(_nonce, _number++);
                _cipher.Encrypt(_nonce, _plain, _packet.AsSpan(0, size), _packet.AsSpan(size));
            }

            return count;
        }
    }

    private sealed class OurCipher(byte[] secret, int size) : IDisposable
    {
        private readonly PacketSealer _sealer = new(new TrafficKey([.. secret], 256), ProtectionOptions.MostPacketsPerKey);
        private readonly byte[] _plain = new byte[size];
        private readonly byte[] _packet = new byte[size + TrafficKey.TagSize];

        public long Run(int count)
        {
            for (var i = 0; i < count; i++)
            {
                if (_sealer.Seal(_plain, _packet, out _) < 0)
                    throw new InvalidOperationException("The sealer has no more keys.");
            }

            return count;
        }

        public void Dispose() => _sealer.Dispose();
    }
}
