using Reloaded.Messaging.Compression.LZ4;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>Dispatching allocates nothing once it is warm, in debug builds too.</summary>
public sealed class DispatchAllocationTests
{
    [Theory]
    [InlineData(3u, MessageKind.Event, false)]
    [InlineData(3u, MessageKind.Event, true)]
    [InlineData(3u, MessageKind.Request, false)]
    [InlineData(300u, MessageKind.Event, false)]
    [InlineData(300u, MessageKind.Request, true)]
    public void A_blittable_message_is_dispatched_without_allocating(uint type, MessageKind kind, bool tracks)
    {
        var dispatcher = new MessageDispatcher<Tally>(trackRunningHandlers: tracks);
        var contract = Given.Points(type);
        dispatcher.Register(contract, static (in Point point, ref Tally tally) => tally.Add(point.X));

        AssertAllocatesNothing(dispatcher, Given.Packed(contract, new Point(1, 2), kind, 0), DispatchStatus.Handled);
    }

    [Fact]
    public void A_raw_message_is_dispatched_without_allocating()
    {
        var dispatcher = new MessageDispatcher<Tally>();
        dispatcher.RegisterRaw(3, static (in MessageHeader _, ReadOnlySpan<byte> payload, ref Tally tally) => tally.Add(payload.Length));

        AssertAllocatesNothing(dispatcher, [3, 1, 2], DispatchStatus.Handled);
    }

    [Theory]
    [InlineData("brotli", 3u)]
    [InlineData("brotli", 300u)]
    [InlineData("lz4", 3u)]
    [InlineData("lz4", 300u)]
    public void A_compressed_message_is_dispatched_without_allocating(string compressor, uint type)
    {
        IMessageCompressor compression = compressor == "lz4" ? new LZ4Compressor() : new BrotliCompressor();
        var contract = new MessageContract<Terrain>(type, new BlittableSerializer<Terrain>(), new CompressionOptions(compression));
        var dispatcher = new MessageDispatcher<Tally>();
        dispatcher.Register(contract, static (in Terrain _, ref Tally tally) => tally.Add(Terrain.Size));
        var message = Given.Packed(contract, default);
        Assert.InRange(message.Length, 1, Terrain.Size / 4);

        AssertAllocatesNothing(dispatcher, message, DispatchStatus.Handled);
    }

    [Theory]
    [InlineData(new byte[] { 9, 1 }, DispatchStatus.NoHandler)]
    [InlineData(new byte[] { 3, 1 }, DispatchStatus.InvalidPayload)]
    [InlineData(new byte[] { 0x7F, 1 }, DispatchStatus.Malformed)]
    [InlineData(new byte[] { 0x7F, 4, 1 }, DispatchStatus.NotForHandlers)]
    [InlineData(new byte[] { }, DispatchStatus.Malformed)]
    public void A_message_that_is_refused_allocates_nothing(byte[] message, DispatchStatus expected)
    {
        var dispatcher = new MessageDispatcher<Tally>();
        dispatcher.Register(Given.Points(3), static (in Point point, ref Tally tally) => tally.Add(point.X));

        AssertAllocatesNothing(dispatcher, message, expected);
    }

    [Fact]
    public void An_asynchronous_dispatch_that_completes_at_once_allocates_nothing()
    {
        var dispatcher = new MessageDispatcher<int>();
        var contract = Given.Points(3);
        var calls = 0;
        dispatcher.Register(contract, (_, _, _) =>
        {
            calls++;
            return default;
        });
        var message = Given.Packed(contract, default);
        var completed = 0;

        var bytes = Allocation.OfThousand(() => completed += Completed(dispatcher.DispatchAsync(message, 0)));

        Assert.Equal(0, bytes);
        Assert.InRange(calls, 1, int.MaxValue);
        Assert.Equal(calls, completed);

        static int Completed(ValueTask<DispatchStatus> call) => call.IsCompletedSuccessfully ? 1 : 0;
    }

    private static void AssertAllocatesNothing(MessageDispatcher<Tally> dispatcher, byte[] message, DispatchStatus expected)
    {
        var tally = default(Tally);
        var calls = 0;
        var asExpected = 0;

        var bytes = Allocation.OfThousand(() =>
        {
            calls++;
            if (dispatcher.Dispatch(message, ref tally) == expected)
                asExpected++;
        });

        Assert.Equal(0, bytes);
        Assert.Equal(calls, asExpected);
        Assert.Equal(expected == DispatchStatus.Handled ? calls : 0, tally.Calls);
    }
}
