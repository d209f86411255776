using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>Every status and its counter, from both ways to dispatch, with a synchronous and an asynchronous handler.</summary>
public sealed class DispatchStatusTests
{
    [Theory]
    [InlineData(1, DispatchStatus.Handled)]
    [InlineData(-1, DispatchStatus.NoHandler)]
    public async Task Message_that_does_not_meet_the_condition_of_its_handler_has_no_handler(int state, DispatchStatus status)
    {
        var dispatcher = new MessageDispatcher<int> { ConditionOf = static type => type == 3 ? static (in int given) => given > 0 : null };
        var handled = 0;
        dispatcher.Register(Given.Points(3), (in Point _, ref int _) => handled++);
        var message = Given.Packed(Given.Points(3), new Point(1, 2));

        Assert.Equal(status, dispatcher.Dispatch(message, ref state));
        Assert.Equal(status, await dispatcher.DispatchAsync(message, state));
        Assert.Equal(status == DispatchStatus.Handled ? 2 : 0, handled);
        Given.AssertCounted(dispatcher, DispatchStatus.NoHandler, status == DispatchStatus.Handled ? 0 : 2);
    }

    private readonly MessageContract<Point> _plain = Given.Points(3);
    private readonly MessageContract<Point> _compressing = Given.Points(3, Given.Always);

    [Fact]
    public async Task A_handled_message_is_counted_under_no_other_status() =>
        await AssertStatus(DispatchStatus.Handled, _plain, Given.Packed(_plain, new Point(1, 2)));

    [Fact]
    public async Task A_compressed_message_is_handled_as_a_plain_one() =>
        await AssertStatus(DispatchStatus.Handled, _compressing, Given.Packed(_compressing, new Point(1, 2)));

    [Theory]
    [InlineData("")] // nothing at all
    [InlineData("83")] // compressed, without a size
    [InlineData("83 08 00 00")]
    [InlineData("83 FF FF FF FF 00")] // a negative size
    [InlineData("7F")]
    [InlineData("7F 00")]
    [InlineData("7F 00 03 00 00 00 00 00 00 00 00")] // an event that fits the short form
    [InlineData("7F 05 03")] // a reserved kind
    [InlineData("7F 08 03")] // a reserved bit
    [InlineData("7F 01 83 00 00")] // a uvarint that is not in its shortest form
    [InlineData("7F 01 03 80")] // half a correlation id
    public async Task Bytes_that_are_no_header_in_its_one_encoding_are_malformed(string hex) =>
        await AssertStatus(DispatchStatus.Malformed, _compressing, Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal)));

    [Fact]
    public async Task A_compressed_message_of_a_contract_without_compressor_is_malformed() =>
        await AssertStatus(DispatchStatus.Malformed, _plain, Given.Packed(_compressing, new Point(1, 2)));

    [Fact]
    public async Task A_message_as_large_as_the_limit_is_handled_and_one_byte_more_is_too_large()
    {
        var limits = new MessageLimits { MaxMessageSize = 128 };
        var text = Given.Text(3);

        await AssertStatus(DispatchStatus.Handled, text, Given.Packed(text, new string('a', 127)), limits);
        await AssertStatus(DispatchStatus.TooLarge, text, Given.Packed(text, new string('a', 128)), limits);
    }

    [Fact]
    public async Task A_declared_size_at_the_limit_is_handled_and_one_byte_more_is_too_large()
    {
        var limits = new MessageLimits { MaxDecompressedSize = 128 };

        await AssertStatus(DispatchStatus.Handled, _compressing, Given.Packed(_compressing, new Point(1, 2)), limits);
        await AssertStatus(DispatchStatus.CorruptPayload, _compressing, Given.Raw(new MessageHeader(3).Compressed(128), 1, 2, 3), limits);
        await AssertStatus(DispatchStatus.TooLarge, _compressing, Given.Raw(new MessageHeader(3).Compressed(129), 1, 2, 3), limits);
    }

    [Fact]
    public void Nothing_is_rented_for_a_declared_size_above_the_limit()
    {
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.Register(_compressing, static (in Point _, ref int _) => { });
        var bytes = Given.Packed(_compressing, new Point(1, 2));
        var lying = Given.Raw(new MessageHeader(3).Compressed(int.MaxValue), 1, 2, 3);

        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(bytes));
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Equal(DispatchStatus.TooLarge, dispatcher.Dispatch(lying));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 10_000); // declared as 2 GiB
    }

    [Fact]
    public async Task Compressed_bytes_that_do_not_decompress_are_corrupt() =>
        await AssertStatus(DispatchStatus.CorruptPayload, _compressing, Given.Raw(new MessageHeader(3).Compressed(8), 0xFF, 0xFE, 0xFD));

    [Theory]
    [InlineData(7)]
    [InlineData(9)]
    [InlineData(0)]
    public async Task Compressed_bytes_of_another_size_than_declared_are_corrupt(int declared)
    {
        var bytes = Given.Packed(_compressing, new Point(1, 2));

        await AssertStatus(DispatchStatus.CorruptPayload, _compressing, Given.Raw(new MessageHeader(3).Compressed(declared), bytes[5..]));
    }

    [Fact]
    public async Task Bytes_left_over_behind_the_compressed_ones_are_corrupt() =>
        await AssertStatus(DispatchStatus.CorruptPayload, _compressing, [.. Given.Packed(_compressing, new Point(1, 2)), 0]);

    [Theory]
    [InlineData(0)]
    [InlineData(7)]
    [InlineData(9)]
    public async Task A_payload_that_its_serializer_refuses_is_invalid(int size)
    {
        await AssertStatus(DispatchStatus.InvalidPayload, _plain, Given.Raw(new MessageHeader(3), new byte[size]));
        await AssertStatus(DispatchStatus.InvalidPayload, _plain, Given.Raw(new MessageHeader(3, MessageKind.Request, 1), new byte[size]));

        var text = Given.Text(3, Given.Always);
        await AssertStatus(DispatchStatus.InvalidPayload, _compressing, Given.Packed(text, new string('a', size)));
    }

    [Fact]
    public async Task Text_that_is_not_UTF8_is_invalid() =>
        await AssertStatus(DispatchStatus.InvalidPayload, Given.Text(3), Given.Raw(new MessageHeader(3), 0xFF));

    [Fact]
    public async Task A_reply_is_not_for_handlers() =>
        await AssertStatus(DispatchStatus.NotForHandlers, _plain, Given.Packed(_plain, default, MessageKind.Reply, 5));

    [Theory]
    [InlineData(4u)]
    [InlineData(4000u)]
    public async Task A_message_without_a_handler_has_no_handler(uint type) =>
        await AssertStatus(DispatchStatus.NoHandler, _plain, Given.Packed(Given.Points(type), default));

    [Fact]
    public async Task A_message_that_the_fallback_got_is_counted_so()
    {
        var dispatcher = new MessageDispatcher<int>();
        var calls = 0;
        dispatcher.RegisterFallback((in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => calls++);

        Assert.Equal(DispatchStatus.HandledByFallback, dispatcher.Dispatch([4]));
        Assert.Equal(DispatchStatus.HandledByFallback, await dispatcher.DispatchAsync([4]));

        Assert.Equal(2, calls);
        Given.AssertCounted(dispatcher, DispatchStatus.HandledByFallback, 2);
    }

    [Fact]
    public async Task An_asynchronous_handler_is_not_called_by_a_synchronous_dispatch()
    {
        var dispatcher = new MessageDispatcher<int>();
        var calls = 0;
        dispatcher.Register(_compressing, (_, _, _) =>
        {
            calls++;
            return default;
        });

        Assert.Equal(DispatchStatus.HandlerIsAsync, dispatcher.Dispatch(Given.Packed(_plain, default)));
        Assert.Equal(DispatchStatus.HandlerIsAsync, dispatcher.Dispatch(Given.Packed(_compressing, default)));
        Assert.Equal(DispatchStatus.HandlerIsAsync, dispatcher.Dispatch(Given.Packed(_plain, default, MessageKind.Request, 1)));
        Assert.Equal(0, calls);

        Assert.Equal(DispatchStatus.Handled, await dispatcher.DispatchAsync(Given.Packed(_plain, default)));
        Assert.Equal(1, calls);
        Given.AssertCounted(dispatcher, DispatchStatus.HandlerIsAsync, 3);
    }

    [Theory]
    [InlineData(DispatchStatus.Handled)]
    [InlineData((DispatchStatus)(-1))]
    [InlineData(DispatchStatus.HandlerIsAsync + 1)]
    public void A_status_that_is_not_counted_can_not_be_asked_for(DispatchStatus status)
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => new MessageDispatcher<int>().GetCount(status));

        Assert.Equal((nameof(status), status), (error.ParamName, error.ActualValue));
    }

    private static async Task AssertStatus<T>(DispatchStatus expected, MessageContract<T> contract, byte[] message, MessageLimits? limits = null)
    {
        var handled = expected == DispatchStatus.Handled ? 1 : 0;
        var calls = 0;
        var synchronous = new MessageDispatcher<int>(limits);
        synchronous.Register(contract, (in T _, ref int _) => calls++);

        Assert.Equal(expected, synchronous.Dispatch(message));
        Assert.Equal(expected, await synchronous.DispatchAsync(message));
        Assert.Equal(2 * handled, calls);
        Given.AssertCounted(synchronous, expected, 2);

        var asynchronous = new MessageDispatcher<int>(limits);
        asynchronous.Register(contract, async (_, _, _) =>
        {
            await Task.Yield();
            calls++;
        });

        Assert.Equal(expected, await asynchronous.DispatchAsync(message));
        Assert.Equal(3 * handled, calls);
        Given.AssertCounted(asynchronous, expected, 1);
    }
}
