using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Datagrams that no connection sends, in virtual time.</summary>
public sealed class DatagramFuzzTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Random_and_mutated_datagrams_never_throw_and_the_connection_continues(int seed)
    {
        var random = new Random(seed);
        var path = new EmulatedPath(seed, new PathOptions { Loss = 0.1, Jitter = TimeSpan.FromMilliseconds(10) }, new UdpOptions { MaxFragments = 4 });
        var frames = new NumberedFrames(path.Client, path.Server, 500, 2000);
        var number = 1ul << 40;
        path.Act = () =>
        {
            frames.Send();
            path.Client.AddFrames([2, 7, 7], stream: random.Next(-1, 3));
            var body = Mutate(random);
            path.Client.Receive(number++, body, path.Ticks);
            ReadAll(path.Client);
        };

        path.Run(TimeSpan.FromSeconds(20));

        Assert.InRange(path.ClientCounts.GetDropped(DatagramDropReason.Malformed), 100, long.MaxValue);
        Assert.InRange(path.Client.Path.BytesInFlight, 0, CongestionWindow.MaxSize);
    }

    [Fact]
    public void Every_truncation_of_a_datagram_is_malformed_as_a_whole()
    {
        byte[] whole = [.. PlainDatagram.Part(DatagramPart.Frames, [2, 7, 7]), .. PlainDatagram.Part(DatagramPart.Ping, [])];
        var connection = new DatagramConnection(1000, 17, UdpOptions.Default, Counts);
        for (var size = 0; size < whole.Length; size++)
        {
            if (size != whole.Length - PlainDatagram.Part(DatagramPart.Ping, []).Length)
                connection.Receive((ulong)size, whole.AsSpan(0, size), 0);
        }

        Assert.False(connection.IsReadable);
        Assert.Equal(whole.Length - 1, Counts.GetDropped(DatagramDropReason.Malformed));
    }

    [Fact]
    public void Early_data_with_too_many_gaps_is_not_acknowledged()
    {
        var connection = new DatagramConnection(1000, 17, UdpOptions.Default, Counts);
        for (var i = 1; i <= OrderedReceiver.MaxGaps + 1; i++)
            connection.Receive((ulong)i, PlainDatagram.Part(DatagramPart.Data, [0, .. BitConverter.GetBytes(2ul * (ulong)i), 9]), 0);

        Assert.Equal(1, Counts.GetDropped(DatagramDropReason.OutOfOrder));
        var body = new byte[1000];
        var parts = PlainDatagram.PartsOf([.. new byte[DatagramFormat.PlainHeader], .. body.AsSpan(0, connection.Write(body, 0))]);
        var newest = Assert.Single(parts, static part => part.Part == DatagramPart.Acknowledgement).Body;
        Assert.Equal((ulong)OrderedReceiver.MaxGaps, BitConverter.ToUInt64(newest));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Datagram_whose_data_has_no_place_is_handled_once_when_there_is_place(bool isDataFirst)
    {
        var connection = new DatagramConnection(1000, 17, UdpOptions.Default, Counts);
        for (var i = 1; i <= OrderedReceiver.MaxGaps; i++)
            connection.Receive((ulong)i, PlainDatagram.Part(DatagramPart.Data, [0, .. BitConverter.GetBytes(2ul * (ulong)i), 9]), 0);
        var data = PlainDatagram.Part(DatagramPart.Data, [0, .. BitConverter.GetBytes(2ul * (OrderedReceiver.MaxGaps + 1)), 9]);
        byte[] others = [.. PlainDatagram.Part(DatagramPart.Frames, [2, 7, 7]), .. PlainDatagram.Part(DatagramPart.Response, new byte[8]), .. PlainDatagram.Part(DatagramPart.Close, [])];
        byte[] body = isDataFirst ? [.. data, .. others] : [.. others, .. data];

        for (var i = 0; i < 3; i++)
            connection.Receive(1000, body, 0);
        Assert.Equal(3, Counts.GetDropped(DatagramDropReason.OutOfOrder));
        Assert.Equal((false, false, false, null), (connection.IsReadable, connection.IsClosed, connection.IsNewest, connection.Response));

        connection.Receive(999, PlainDatagram.Part(DatagramPart.Data, [0, .. BitConverter.GetBytes(3ul), 9]), 0); // fills a gap
        for (var i = 0; i < 3; i++)
            connection.Receive(1000, body, 0);
        Assert.Equal(2, Counts.GetDropped(DatagramDropReason.Replayed));
        Assert.Equal((3, true), (connection.Read(new byte[100]), connection.IsClosed));
    }

    private DatagramCounters Counts { get; } = new();

    /// <summary>Makes random bytes, or valid kinds and sizes with random bodies.</summary>
    private static byte[] Mutate(Random random)
    {
        var body = new byte[random.Next(60)];
        random.NextBytes(body);
        if (random.Next(3) == 0)
            return body;
        var parts = new List<byte>();
        for (var i = random.Next(1, 4); i > 0; i--)
        {
            var content = new byte[random.Next(30)];
            random.NextBytes(content);
            if (random.Next(2) == 0)
                content.AsSpan(0, Math.Min(9, content.Length)).Clear(); // small offsets and numbers
            parts.AddRange(PlainDatagram.Part((DatagramPart)random.Next(9), content));
        }

        return [.. parts];
    }

    private static void ReadAll(DatagramConnection connection)
    {
        var buffer = new byte[4096];
        while (connection.Read(buffer) > 0)
        {
        }
    }
}
