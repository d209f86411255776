using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

public sealed class RegistrationTests
{
    private readonly MessageDispatcher<int> _dispatcher = new();

    [Theory]
    [InlineData(DuplicateHandlerBehavior.Throw)]
    [InlineData(DuplicateHandlerBehavior.Replace)]
    public void Two_message_types_can_not_share_an_id_and_the_error_names_both(DuplicateHandlerBehavior ifRegistered)
    {
        _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 1);

        var error = Assert.Throws<InvalidOperationException>(
            () => _dispatcher.Register(Given.Degrees(3), static (in Celsius _, ref int state) => state = 2, ifRegistered));

        Assert.Contains(typeof(Point).FullName!, error.Message, StringComparison.Ordinal);
        Assert.Contains(typeof(Celsius).FullName!, error.Message, StringComparison.Ordinal);
        Assert.Contains("3", error.Message, StringComparison.Ordinal);
        Assert.EndsWith("Give one of them another id.", error.Message, StringComparison.Ordinal);
        AssertReaches(1);
    }

    [Fact]
    public void A_raw_handler_does_not_take_the_place_of_a_contracts_by_itself()
    {
        _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 1);

        var error = Assert.Throws<InvalidOperationException>(
            () => _dispatcher.RegisterRaw(3, static (in MessageHeader _, ReadOnlySpan<byte> _, ref int state) => state = 2));

        Assert.Contains(typeof(Point).FullName!, error.Message, StringComparison.Ordinal);
        Assert.Contains("raw handler", error.Message, StringComparison.Ordinal);
        Assert.Contains("DuplicateHandlerBehavior.Replace", error.Message, StringComparison.Ordinal);
        AssertReaches(1);
    }

    [Fact]
    public void A_raw_handler_and_a_contracts_replace_each_other()
    {
        _dispatcher.RegisterRaw(3, static (in MessageHeader _, ReadOnlySpan<byte> _, ref int state) => state = 1);
        AssertReaches(1);

        _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 2, DuplicateHandlerBehavior.Replace);
        AssertReaches(2);

        _dispatcher.RegisterRaw(3, static (in MessageHeader _, ReadOnlySpan<byte> _, ref int state) => state = 3, DuplicateHandlerBehavior.Replace);
        AssertReaches(3);
    }

    [Fact]
    public void A_second_handler_of_the_same_message_is_refused_by_default()
    {
        _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 1);

        var error = Assert.Throws<InvalidOperationException>(() => _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 2));

        Assert.EndsWith("Dispose its registration first, or have a dispatcher put the second in its place by DuplicateHandlerBehavior.Replace.", error.Message, StringComparison.Ordinal);
        Assert.Equal(error.Message.IndexOf(nameof(Point), StringComparison.Ordinal), error.Message.LastIndexOf(nameof(Point), StringComparison.Ordinal));
        AssertReaches(1);
    }

    [Fact]
    public void Replace_puts_a_handler_in_the_place_of_the_old_one()
    {
        _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 1);
        _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 2, DuplicateHandlerBehavior.Replace);

        AssertReaches(2);
    }

    [Fact]
    public void Replace_registers_where_there_was_no_handler()
    {
        _dispatcher.RegisterRaw(3, static (in MessageHeader _, ReadOnlySpan<byte> _, ref int state) => state = 1, DuplicateHandlerBehavior.Replace);
        AssertReaches(1);

        _dispatcher.RegisterRaw(3, static (in MessageHeader _, ReadOnlySpan<byte> _, ref int state) => state = 2, DuplicateHandlerBehavior.Replace);
        AssertReaches(2);
    }

    [Fact]
    public void The_handle_of_a_replaced_registration_removes_nothing()
    {
        var old = _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 1);
        var current = _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 2, DuplicateHandlerBehavior.Replace);

        old.Dispose();
        AssertReaches(2);

        current.Dispose();
        AssertReaches(null);
    }

    [Fact]
    public void The_handle_of_a_removed_registration_does_not_remove_the_next_one()
    {
        var first = _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 1);
        Assert.True(_dispatcher.Remove(3));
        _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 2);

        first.Dispose();

        AssertReaches(2);
    }

    [Theory]
    [InlineData(3u)]
    [InlineData(300u)]
    public void Remove_takes_a_types_handler_away_and_leaves_the_others(uint type)
    {
        _dispatcher.Register(Given.Points(type), static (in Point _, ref int state) => state = 1);
        _dispatcher.Register(Given.Degrees(type + 1), static (in Celsius _, ref int state) => state = 2);

        Assert.True(_dispatcher.Remove(type));
        Assert.False(_dispatcher.Remove(type));

        AssertReaches(null, type);
        var state = 0;
        Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(Given.Packed(Given.Degrees(type + 1), default), ref state));
        Assert.Equal(2, state);
    }

    [Fact]
    public void An_id_that_became_free_may_go_to_another_message_type()
    {
        _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 1).Dispose();
        _dispatcher.Register(Given.Degrees(3), static (in Celsius _, ref int state) => state = 2);

        var state = 0;
        Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(Given.Packed(Given.Degrees(3), default), ref state));

        Assert.Equal(2, state);
    }

    [Fact]
    public async Task A_handle_can_be_disposed_twice_and_from_several_threads()
    {
        for (var round = 0; round < 50; round++)
        {
            var handle = _dispatcher.Register(Given.Points(3), static (in Point _, ref int state) => state = 1);
            await Task.WhenAll(Task.Run(handle.Dispose), Task.Run(handle.Dispose), Task.Run(handle.Dispose)).InTime();
            handle.Dispose();

            AssertReaches(null);
        }
    }

    [Fact]
    public void Missing_arguments_are_refused()
    {
        Assert.Throws<ArgumentNullException>(() => _dispatcher.Register(null!, static (in Point _, ref int _) => { }));
        Assert.Throws<ArgumentNullException>(() => _dispatcher.Register(Given.Points(3), (MessageHandler<Point, int>)null!));
        Assert.Throws<ArgumentNullException>(() => _dispatcher.Register(Given.Points(3), (AsyncMessageHandler<Point, int>)null!));
        Assert.Throws<ArgumentNullException>(() => _dispatcher.Register(Given.Points(3), (IMessageHandler<Point, int>)null!));
        Assert.Throws<ArgumentNullException>(() => _dispatcher.RegisterRaw(3, null!));
        Assert.Throws<ArgumentNullException>(() => _dispatcher.RegisterFallback(null!));
        AssertReaches(null);
    }

    [Fact]
    public void HasHandler_of_registered_type_returns_its_contract()
    {
        var contract = Given.Points(3);
        var handle = _dispatcher.Register(contract, static (in Point _, ref int _) => { });
        _dispatcher.RegisterRaw(4, static (in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => { });

        Assert.True(_dispatcher.HasHandler(3, out var found));
        Assert.Same(contract, found);
        Assert.True(_dispatcher.HasHandler(4, out found));
        Assert.Null(found);
        handle.Dispose();
        Assert.False(_dispatcher.HasHandler(3, out found));
        Assert.Null(found);
        _dispatcher.RegisterFallback(static (in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => { });
        Assert.True(_dispatcher.HasHandler(3, out _));
    }

    /// <summary>Checks which handler a point gets in either form, short and extended.</summary>
    private void AssertReaches(int? handler, uint type = 3)
    {
        var expected = (handler is null ? DispatchStatus.NoHandler : DispatchStatus.Handled, handler ?? 0);
        var state = 0;
        Assert.Equal(expected, (_dispatcher.Dispatch(Given.Packed(Given.Points(type), default), ref state), state));
        state = 0;
        Assert.Equal(expected, (_dispatcher.Dispatch(Given.Packed(Given.Points(type), default, MessageKind.Request, 1), ref state), state));
    }

    [Theory]
    [InlineData(1_000u)]
    [InlineData(100_000u)]
    public void Registration_beside_many_handlers_allocates_as_much_as_beside_few(uint first)
    {
        const uint Few = 200;
        const uint Many = 10_000;
        var handlers = new MessageContract<Point>[Many + Few];
        for (var i = 0u; i < handlers.Length; i++)
            handlers[i] = Given.Points(first + i);

        Register(0, Few);
        var besideFew = Register(Few, 2 * Few);
        Register(2 * Few, Many);
        var besideMany = Register(Many, Many + Few);

        Assert.InRange(besideMany, 1, 3 * besideFew);

        long Register(uint from, uint to)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var i = from; i < to; i++)
                _dispatcher.Register(handlers[i], static (in Point _, ref int _) => { });
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }
}
