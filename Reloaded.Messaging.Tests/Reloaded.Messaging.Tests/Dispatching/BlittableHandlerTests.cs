using System.Runtime.CompilerServices;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>Handlers of blittable structs, which are called without the serializer, in every form that a delegate has.</summary>
public sealed class BlittableHandlerTests
{
    private readonly MessageDispatcher<Tally> _dispatcher = new();
    private readonly MessageContract<Point> _points = Given.Points(3);
    private Tally _tally;

    [Fact]
    public void Handler_that_is_a_static_method_gets_message_and_state()
    {
        _dispatcher.Register(_points, AddStatic);

        Dispatch(new Point(4, 2));

        Assert.Equal((1, 42), (_tally.Calls, _tally.Sum));
    }

    [Fact]
    public void Handler_that_is_an_instance_method_gets_message_and_state()
    {
        _dispatcher.Register(_points, AddToInstance);

        Dispatch(new Point(4, 2));

        Assert.Equal((1, 142), (_tally.Calls, _tally.Sum));
    }

    [Fact]
    public void Handler_of_several_methods_calls_each_in_order()
    {
        MessageHandler<Point, Tally> both = static (in Point point, ref Tally tally) => tally.Add(point.X);
        both += static (in Point point, ref Tally tally) => tally.Sum *= point.Y;
        _dispatcher.Register(_points, both);

        Dispatch(new Point(4, 10));

        Assert.Equal((1, 40), (_tally.Calls, _tally.Sum));
    }

    [Fact]
    public void Handler_of_a_generic_method_gets_its_type_argument()
    {
        _dispatcher.Register(_points, AddSizeOf<string, long>);

        Dispatch(new Point(4, 2));

        Assert.Equal((1, 4 + 8), (_tally.Calls, _tally.Sum));
    }

    [Fact]
    public void Message_at_any_address_reaches_the_handler_whole()
    {
        _dispatcher.Register(_points, AddStatic);
        var message = Given.Packed(_points, new Point(4, 2));
        var buffer = new byte[message.Length + 16];

        for (var start = 0; start < 16; start++)
        {
            message.CopyTo(buffer, start);
            Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(buffer.AsSpan(start, message.Length), ref _tally));
        }

        Assert.Equal((16, 16 * 42), (_tally.Calls, _tally.Sum));
    }

    [Fact]
    public void Message_of_another_length_does_not_reach_the_handler()
    {
        _dispatcher.Register(_points, AddStatic);
        var message = Given.Packed(_points, new Point(4, 2));

        for (var length = 1; length < message.Length; length++)
            Assert.Equal(DispatchStatus.InvalidPayload, _dispatcher.Dispatch(message.AsSpan(0, length), ref _tally));
        Assert.Equal(DispatchStatus.InvalidPayload, _dispatcher.Dispatch([.. message, 0], ref _tally));

        Assert.Equal(0, _tally.Calls);
        Given.AssertCounted(_dispatcher, DispatchStatus.InvalidPayload, message.Length);
    }

    [Fact]
    public void Struct_above_the_limit_does_not_reach_the_handler()
    {
        var contract = new MessageContract<Block>(3, new BlittableSerializer<Block>());
        var message = Given.Packed(contract, default);
        var accepting = new MessageDispatcher<Tally>(new MessageLimits { MaxMessageSize = message.Length });
        var refusing = new MessageDispatcher<Tally>(new MessageLimits { MaxMessageSize = message.Length - 1 });
        accepting.Register(contract, static (in Block _, ref Tally tally) => tally.Add(1));
        refusing.Register(contract, static (in Block _, ref Tally tally) => tally.Add(1));

        Assert.Equal(DispatchStatus.TooLarge, refusing.Dispatch(message, ref _tally));
        Assert.Equal(0, _tally.Calls);
        Assert.Equal(DispatchStatus.Handled, accepting.Dispatch(message, ref _tally));
        Assert.Equal(1, _tally.Calls);
    }

    private static void AddStatic(in Point point, ref Tally tally) => tally.Add((point.X * 10) + point.Y);

    private static void AddSizeOf<TReference, TValue>(in Point point, ref Tally tally)
        where TReference : class => tally.Add(point.X + Unsafe.SizeOf<TValue>());

    private void AddToInstance(in Point point, ref Tally tally) => tally.Add((_points.Type == 3 ? 100 : 0) + (point.X * 10) + point.Y);

    private void Dispatch(Point point) => Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(Given.Packed(_points, point), ref _tally));

    private unsafe struct Block
    {
        public fixed byte Bytes[200];
    }
}
