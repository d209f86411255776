using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>Which frames the sample transport loses, and when it delivers the others.</summary>
public sealed class LossyLinkTests
{
    private const int Seed = 11;

    private static readonly byte[] s_last = [1, 255];

    [Theory]
    [InlineData(1)]
    [InlineData(25)]
    public async Task Loss_takes_the_frames_that_the_seed_chooses(int framesPerSend)
    {
        await using var pair = await OpenAsync(new LossyTransport(Seed) { Loss = 0.2 }, new TransportContext());

        foreach (var numbers in Enumerable.Range(0, 100).Chunk(framesPerSend))
            await pair.Client.SendAsync(numbers.SelectMany(static number => new byte[] { 1, (byte)number }).ToArray(), Delivery.Unreliable, default);
        await pair.Client.SendAsync(s_last, Delivery.Reliable, default);
        var arrived = await ReceiveToLastAsync(pair.Server);

        var random = new Random(Seed + 1); // the first link
        var expected = Enumerable.Range(0, 100).Where(_ => random.NextDouble() >= 0.2).ToList();
        Assert.InRange(expected.Count, 70, 90);
        Assert.Equal(expected, arrived);
        Assert.Equal(100 - expected.Count, Transport(pair).LostFrames);
    }

    [Fact]
    public async Task Reliable_frames_all_arrive_in_order_when_all_others_are_lost()
    {
        await using var pair = await OpenAsync(new LossyTransport(Seed) { Loss = 1 }, new TransportContext());

        for (var i = 0; i < 100; i++)
            await pair.Server.SendAsync(new byte[] { 1, (byte)i }, i % 2 == 0 ? Delivery.Reliable : Delivery.Unreliable, default);
        await pair.Server.SendAsync(s_last, Delivery.Reliable, default);

        Assert.Equal(Enumerable.Range(0, 100).Where(static i => i % 2 == 0), await ReceiveToLastAsync(pair.Client));
        Assert.Equal(50, Transport(pair).LostFrames);
    }

    [Fact]
    public async Task Delay_holds_unreliable_frames_until_the_clock_of_the_sender_reaches_it()
    {
        var time = new ManualTime();
        await using var pair = await OpenAsync(new LossyTransport(Seed) { Delay = TimeSpan.FromMilliseconds(80) }, new TransportContext { TimeProvider = time });
        var buffer = new byte[10];

        await pair.Client.SendAsync(new byte[] { 1, 7 }, Delivery.Unreliable, default);
        await pair.Client.SendAsync(new byte[] { 1, 8 }, Delivery.Reliable, default);
        Assert.Equal(2, await pair.Server.ReceiveAsync(buffer, default).AsTask().InTime());
        Assert.Equal(8, buffer[1]);

        var receiving = pair.Server.ReceiveAsync(buffer, default).AsTask();
        time.Advance(TimeSpan.FromMilliseconds(79));
        await pair.Client.SendAsync(new byte[] { 1, 9 }, Delivery.Reliable, default);
        Assert.Equal(2, await receiving.InTime());
        Assert.Equal(9, buffer[1]);

        time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(2, await pair.Server.ReceiveAsync(buffer, default).AsTask().InTime());
        Assert.Equal((7, 1, 0), (buffer[1], Transport(pair).DelayedFrames, Transport(pair).LostFrames));
    }

    private static LossyTransport Transport(ChannelPair pair) => (LossyTransport)pair.Listener.Address.Transport;

    private static Task<ChannelPair> OpenAsync(LossyTransport transport, TransportContext context) =>
        ChannelPair.OpenAsync(MessageEndpoint.Over(transport, "link"), ChannelFactory.For(context, context));

    /// <summary>The numbers of the frames that arrive before the last one.</summary>
    private static async Task<List<int>> ReceiveToLastAsync(TransportChannel channel)
    {
        var numbers = new List<int>();
        while (true)
        {
            var frame = await Traffic.ReceiveInPiecesAsync(channel, 2, seed: 1);
            if (frame.SequenceEqual(s_last))
                return numbers;
            numbers.Add(frame[1]);
        }
    }
}
