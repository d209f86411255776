using System.Linq;
using System.Text.Json.Nodes;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>Makes scenes of one side of a UDP connection in virtual time: its datagrams after acknowledgements, losses and timers.</summary>
internal sealed class RecoveryVectors : IDatagramPort
{
    private static readonly byte[] s_connection = new byte[8];

    private readonly VectorFile _file = new("recovery", "Scenes of one side of a connection without protection, in virtual time. steps: at, in microseconds; then frames that the program sends reliably (in channel 0, or in the given channel), a datagram that is received, or a datagram that is sent.");
    private ManualTime _time = new();
    private JsonArray _steps = [];

    public static VectorFile Make()
    {
        var vectors = new RecoveryVectors();
        vectors.Add("loss by three newer numbers", side =>
        {
            for (byte i = 1; i <= 4; i++)
                vectors.Append(side, i);
            vectors.Pass(50);
            vectors.Receive(side, 0, DatagramPart.Acknowledgement, Acknowledge(newest: 3, 3));
        });
        vectors.Add("loss by time", side =>
        {
            vectors.Append(side, 1);
            vectors.Pass(10);
            vectors.Append(side, 2);
            vectors.Pass(40);
            vectors.Receive(side, 0, DatagramPart.Acknowledgement, Acknowledge(newest: 1, 1));
            vectors.Pass(20);
        });
        vectors.Add("probes without an acknowledgement", side =>
        {
            vectors.Append(side, 1);
            vectors.Pass(2500);
        });
        vectors.Add("probe after a measured round trip", side =>
        {
            vectors.Append(side, 1);
            vectors.Pass(40);
            vectors.Receive(side, 0, DatagramPart.Acknowledgement, Acknowledge(newest: 0, 1));
            vectors.Append(side, 2);
            vectors.Pass(200);
        });
        vectors.Add("acknowledgements: 16 at once, then of every second datagram or after 20 ms", side =>
        {
            for (var number = 0ul; number < 19; number++)
                vectors.Receive(side, number, DatagramPart.Ping, []);
            vectors.Pass(25);
        });
        vectors.Add("acknowledgement with gaps, and a duplicate that is dropped", side =>
        {
            foreach (var number in new ulong[] { 0, 1, 4, 6, 6, 5 })
                vectors.Receive(side, number, DatagramPart.Ping, []);
        });
        vectors.Add("channels take turns, and lost data is sent again in its channel", side =>
        {
            vectors.Append(side, 1, channel: 1);
            vectors.Append(side, 2, channel: 2);
            vectors.Append(side, 3, channel: 1);
            vectors.Append(side, 4);
            vectors.Pass(50);
            vectors.Receive(side, 0, DatagramPart.Acknowledgement, Acknowledge(newest: 3, 2));
            vectors.Pass(60);
        });
        return vectors._file;
    }

    public void Send(ReadOnlySpan<byte> datagram) => Step("sent", datagram);

    public void Release(UdpChannel channel)
    {
    }

    private static byte[] Acknowledge(byte newest, byte count) => [newest, .. new byte[11], count];

    private void Add(string name, Action<UdpChannel> act)
    {
        (_time, _steps) = (new ManualTime(), []);
        var side = new UdpChannel(this, 0, null, UdpOptions.Default, new DatagramCounters(), "vector", _time);
        act(side);
        _file.Add(name, new JsonObject { ["steps"] = new JsonArray([.. _steps.Select(static step => step!.DeepClone())]) });
        side.Abort();
    }

    private void Append(UdpChannel side, byte value, int channel = 0)
    {
        byte[] frame = [1, value];
        Step("send", frame);
        if (channel > 0)
            _steps[^1]!["channel"] = channel;
        _ = side.SendAsync(frame, channel == 0 ? Delivery.ReliableOrdered : Delivery.ReliableByType((byte)(channel - 1)), CancellationToken.None).AsTask();
    }

    private void Receive(UdpChannel side, ulong number, DatagramPart part, byte[] body)
    {
        var datagram = PlainDatagram.Make(s_connection, number, part, body);
        Step("receive", datagram);
        side.Take(datagram, default, out _);
    }

    private void Pass(int milliseconds) => _time.Advance(TimeSpan.FromMilliseconds(milliseconds));

    private void Step(string kind, ReadOnlySpan<byte> bytes) =>
        _steps.Add(new JsonObject { ["at"] = _time.GetElapsedTime(0).Ticks / TimeSpan.TicksPerMicrosecond, [kind] = VectorFile.Hex(bytes) });
}
