using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>The ids at which the header changes its form, with plain and compressed payloads, for each kind of handler.</summary>
public sealed class MessageTypeTests
{
    public static TheoryData<uint, bool> Types()
    {
        var data = new TheoryData<uint, bool>();
        foreach (var type in new uint[] { 0, 126, 127, 128, 16_383, 16_384, 65_535, 65_536, uint.MaxValue })
        {
            data.Add(type, false);
            data.Add(type, true);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Types))]
    public void A_blittable_message_reaches_its_handler(uint type, bool compressed)
    {
        var contract = Given.Points(type, compressed ? Given.Always : null);
        var dispatcher = new MessageDispatcher<Point>();
        dispatcher.Register(contract, static (in Point point, ref Point seen) => seen = point);
        var seen = default(Point);

        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(Given.Packed(contract, new Point(1, 2)), ref seen));
        Assert.Equal(new Point(1, 2), seen);
        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(Given.Packed(contract, new Point(3, 4), MessageKind.Request, 9), ref seen));
        Assert.Equal(new Point(3, 4), seen);
    }

    [Fact]
    public void A_payload_is_never_taken_for_a_part_of_the_type()
    {
        uint[] types = [0, 1, 126, 127, 128, 255, 256, 16_255, 16_256, 16_383, 16_384, 32_639, 32_640, 32_767, 32_768, 49_023, 49_024, 49_151, 49_152, 65_407, 65_408, 65_535, 65_536, 81_919, 81_920];
        var dispatcher = new MessageDispatcher<uint>();
        foreach (var type in types)
            dispatcher.RegisterRaw(type, (in MessageHeader _, ReadOnlySpan<byte> _, ref uint handled) => handled = type);

        foreach (var type in types)
        {
            for (var first = 0; first < 256; first++)
            {
                var handled = uint.MaxValue;
                Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(Given.Raw(new MessageHeader(type), (byte)first, 0x81, 1), ref handled));
                Assert.Equal(type, handled);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Types))]
    public void A_text_reaches_its_handler(uint type, bool compressed)
    {
        var contract = Given.Text(type, compressed ? Given.Always : null);
        var dispatcher = new MessageDispatcher<string>();
        dispatcher.Register(contract, static (in string text, ref string seen) => seen = text);
        var seen = "";

        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(Given.Packed(contract, "hello"), ref seen));

        Assert.Equal("hello", seen);
    }

    [Theory]
    [MemberData(nameof(Types))]
    public async Task A_message_reaches_its_asynchronous_handler(uint type, bool compressed)
    {
        var contract = Given.Points(type, compressed ? Given.Always : null);
        var dispatcher = new MessageDispatcher<Point[]>();
        dispatcher.Register(contract, static async (point, seen, _) =>
        {
            await Task.Yield();
            seen[0] = point;
        });
        var seen = new Point[1];

        Assert.Equal(DispatchStatus.Handled, await dispatcher.DispatchAsync(Given.Packed(contract, new Point(1, 2)), seen));

        Assert.Equal(new Point(1, 2), seen[0]);
    }

    [Theory]
    [MemberData(nameof(Types))]
    public void A_raw_handler_gets_its_type(uint type, bool compressed)
    {
        var contract = Given.Points(type, compressed ? Given.Always : null);
        var dispatcher = new MessageDispatcher<MessageHeader>();
        dispatcher.RegisterRaw(type, static (in MessageHeader header, ReadOnlySpan<byte> _, ref MessageHeader seen) => seen = header);
        var seen = default(MessageHeader);

        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(Given.Packed(contract, default), ref seen));

        Assert.Equal(compressed ? new MessageHeader(type).Compressed(8) : new MessageHeader(type), seen);
    }

    [Theory]
    [MemberData(nameof(Types))]
    public void A_message_has_no_handler_when_all_other_types_have_one(uint type, bool compressed)
    {
        var contract = Given.Points(type, compressed ? Given.Always : null);
        var dispatcher = new MessageDispatcher<int>();
        foreach (var other in new uint[] { 0, 1, 125, 126, 127, 128, 255, 256, uint.MaxValue })
        {
            if (other != type)
                dispatcher.Register(Given.Points(other), static (in Point _, ref int calls) => calls++);
        }

        var calls = 0;
        Assert.Equal(DispatchStatus.NoHandler, dispatcher.Dispatch(Given.Packed(contract, default), ref calls));

        Assert.Equal(0, calls);
    }
}
