using System.Text.Json.Nodes;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>Makes one example of each datagram: what a channel sends, and the handshake's by the layout of the format.</summary>
internal sealed class DatagramVectors : IDatagramPort
{
    private const ulong Connection = 0x8877665544332211;

    private static readonly byte[] s_random = VectorFile.Sequence(0x30, DatagramFormat.RandomSize);
    private static readonly byte[] s_cookie = VectorFile.Sequence(0x90, AddressValidator.Size);
    private static readonly byte[] s_connection = BitConverter.GetBytes(Connection);

    private readonly VectorFile _file = new("datagrams", "One example of each datagram. fields: its parts, in order, as hexadecimal. sealed: encrypted by the secret of records.json, with 256 bits; plain: the parts.");
    private readonly List<byte[]> _sent = [];

    public static VectorFile Make()
    {
        var vectors = new DatagramVectors();
        vectors.AddHandshake();
        vectors.AddParts();
        return vectors._file;
    }

    public void Send(ReadOnlySpan<byte> datagram) => _sent.Add(datagram.ToArray());

    public void Release(UdpChannel channel)
    {
    }

    private void AddHandshake()
    {
        var exchange = VectorFile.Sequence(0xB0, 4);
        Add("hello", [.. DatagramFormat.Magic, .. s_random, .. new byte[DatagramFormat.HelloSize - DatagramFormat.Magic.Length - s_random.Length]], ("random", s_random));
        Add("cookie", [DatagramFormat.Cookie, .. s_random, .. s_cookie], ("random", s_random), ("cookie", s_cookie));
        Add("connect, plain", [DatagramFormat.Connect, .. s_random, .. s_cookie], ("random", s_random), ("cookie", s_cookie));
        Add("connect, with the first bytes of an offer", [DatagramFormat.Connect, .. s_random, .. s_cookie, .. exchange], ("random", s_random), ("cookie", s_cookie), ("offer", exchange));
        Add("accept, plain", [DatagramFormat.Accept, .. s_random, .. s_connection], ("random", s_random), ("connection", s_connection));
        Add("refuse by the server: wrong protection", [DatagramFormat.Refuse, .. s_random], ("random", s_random));
        Add("refuse by the server: locked out", [DatagramFormat.Refuse, .. s_random, (byte)DisconnectReason.LockedOut], ("random", s_random), ("reason", [(byte)DisconnectReason.LockedOut]));
    }

    private void AddParts()
    {
        var frames = (byte[])[3, 3, 0xAA, 0xBB, 1, 0x7E];
        var hello = RawPeer.Frame(MessageKind.Control, ControlCode.Hello, 0, HandshakeVectors.WriteHello(HandshakeVectors.ClientNonce, hasToken: false));
        byte[] large = [.. RawPeer.Frame(MessageKind.Event, 3, 0, new byte[1100])];
        var keys = new SessionKeys(new PacketSealer(new TrafficKey(VectorFile.Sequence(0, TrafficKey.SecretSize), 256), 1000), new PacketOpener(new TrafficKey(new byte[TrafficKey.SecretSize], 256)));
        var options = new UdpOptions { MaxDatagramSize = 1100, MaxFragments = 2 };
        var time = new ManualTime();
        var plain = new UdpChannel(this, Connection, null, options, new DatagramCounters(), "vector", time);
        var hidden = new UdpChannel(this, Connection, keys, options, new DatagramCounters(), "vector", time);

        _ = plain.SendAsync(frames, Delivery.Unreliable, CancellationToken.None).AsTask();
        AddSent("plain: frames");
        _ = plain.SendAsync(hello, Delivery.ReliableOrdered, CancellationToken.None).AsTask();
        AddSent("plain: data, a hello");
        plain.Take(PlainDatagram.Make(s_connection, 0, DatagramPart.Data, [0, .. new byte[8], .. hello]), default, out _);
        time.Advance(TimeSpan.FromMilliseconds(1));
        plain.Take(PlainDatagram.Make(s_connection, 2, DatagramPart.Ping, []), default, out _);
        AddSent("plain: acknowledgement of number 0, and of numbers 2 and 0 without 1");
        _ = plain.SendAsync(large, Delivery.Unreliable, CancellationToken.None).AsTask();
        AddSent("plain: fragment");
        _ = plain.SendAsync(frames, Delivery.Sequenced(3), CancellationToken.None).AsTask();
        _ = plain.SendAsync(frames, Delivery.Sequenced(3), CancellationToken.None).AsTask();
        AddSent("plain: sequenced, stream 3");
        _ = plain.SendAsync(large, Delivery.Sequenced(3), CancellationToken.None).AsTask();
        AddSent("plain: sequenced fragment, number 2 of stream 3");
        hidden.Confirm();
        AddSent("sealed: ping, number 0", PlainDatagram.Part(DatagramPart.Ping, []));
        _ = hidden.SendAsync(frames, Delivery.Unreliable, CancellationToken.None).AsTask();
        AddSent("sealed: frames, number 1", PlainDatagram.Part(DatagramPart.Frames, frames));
        AddChallenge(plain, hidden);
        AddRoom("plain: room, up to offset 81920, after 16 KiB were read", time, channel: 0, frames: 16);
        AddRoom("plain: room of channel 3, up to offset 20480, after 4 KiB were read", time, channel: 3, frames: 4);
        var other = new UdpChannel(this, Connection, null, options, new DatagramCounters(), "vector", time);
        _ = other.SendAsync(frames, Delivery.ReliableByType(2), CancellationToken.None).AsTask();
        AddSent("plain: data, channel 3");
        other.Abort();
        _sent.Clear();
        plain.Abort();
        _sent.RemoveRange(1, _sent.Count - 1); // a close is sent three times
        AddSent("plain: close");
        hidden.Abort();
    }

    private void AddChallenge(UdpChannel plain, UdpChannel hidden)
    {
        const ulong Value = 0x8080808080808080;
        var challenge = new byte[UdpChannel.MaxChallengeSize];
        hidden.WriteChallenge(challenge, Value);
        _sent.Add(challenge);
        AddSent("sealed: challenge, number 2", PlainDatagram.Part(DatagramPart.Challenge, BitConverter.GetBytes(Value)));
        plain.Take(PlainDatagram.Make(s_connection, 3, DatagramPart.Challenge, BitConverter.GetBytes(Value)), default, out _);
        AddSent("plain: response, and an acknowledgement");
    }

    /// <summary>Lets a receiver read so much that it announces more room.</summary>
    private void AddRoom(string name, ManualTime time, byte channel, int frames)
    {
        var reader = new UdpChannel(this, Connection, null, UdpOptions.Default, new DatagramCounters(), "vector", time);
        var frame = new byte[1024];
        (frame[0], frame[1]) = (0xFE, 0x07); // the length is 1022
        for (var i = 0; i < frames; i++)
        {
            reader.Take(PlainDatagram.Make(s_connection, (ulong)i, DatagramPart.Data, [channel, .. BitConverter.GetBytes(i * 1024L), .. frame]), default, out _);
            _ = reader.ReceiveAsync(new byte[1024], CancellationToken.None).AsTask();
        }

        _sent.RemoveRange(0, _sent.Count - 1); // acknowledgements
        AddSent(name);
        reader.Abort();
        _sent.Clear();
    }

    private void AddSent(string name, params byte[] plain)
    {
        foreach (var datagram in _sent)
        {
            if (datagram[0] == DatagramFormat.Plain)
                Add(name, datagram, ("connection", datagram[1..9]), ("number", datagram[9..17]), ("parts", datagram[17..]));
            else
                Add(name, datagram, ("connection", datagram[1..9]), ("epoch", datagram[9..10]), ("number", datagram[10..18]), ("packet", datagram[18..]), ("plain", plain));
        }

        _sent.Clear();
    }

    private void Add(string name, byte[] datagram, params (string Name, byte[] Bytes)[] parts)
    {
        var fields = new JsonObject();
        foreach (var (part, bytes) in parts)
            fields[part] = VectorFile.Hex(bytes);
        _file.Add(name, new JsonObject { ["bytes"] = VectorFile.Hex(datagram), ["fields"] = fields });
    }
}
