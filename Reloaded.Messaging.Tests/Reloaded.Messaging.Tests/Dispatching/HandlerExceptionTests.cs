using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>What a handler throws is its caller's, and leaves nothing behind; what it dispatches or packs itself works.</summary>
public sealed class HandlerExceptionTests
{
    public static TheoryData<bool, bool> Dispatchers() => new() { { false, false }, { false, true }, { true, false }, { true, true } };

    [Theory]
    [MemberData(nameof(Dispatchers))]
    public async Task An_exception_comes_out_unchanged_and_the_next_message_is_handled(bool tracks, bool compressed)
    {
        var dispatcher = new MessageDispatcher<int>(trackRunningHandlers: tracks);
        var contract = Given.Text(3, compressed ? Given.Always : null);
        var thrown = new InvalidTimeZoneException();
        dispatcher.Register(contract, (in string text, ref int calls) =>
        {
            calls++;
            if (text == "throw")
                throw thrown;
        });

        var state = 0;
        Assert.Same(thrown, Assert.Throws<InvalidTimeZoneException>(() => dispatcher.Dispatch(Given.Packed(contract, "throw"), ref state)));
        Assert.Equal(1, state);
        Assert.Same(thrown, await Assert.ThrowsAsync<InvalidTimeZoneException>(() => dispatcher.DispatchAsync(Given.Packed(contract, "throw"))));

        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(Given.Packed(contract, "go on"), ref state));
        Assert.Equal(2, state);
        Given.AssertCounted(dispatcher, DispatchStatus.Handled, 0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_exception_of_a_raw_handler_or_a_fallback_comes_out_unchanged(bool tracks)
    {
        var dispatcher = new MessageDispatcher<int>(trackRunningHandlers: tracks);
        var thrown = new InvalidTimeZoneException();
        dispatcher.RegisterRaw(3, (in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => throw thrown);
        dispatcher.RegisterFallback((in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => throw thrown);

        Assert.Same(thrown, Assert.Throws<InvalidTimeZoneException>(() => dispatcher.Dispatch([3])));
        Assert.Same(thrown, Assert.Throws<InvalidTimeZoneException>(() => dispatcher.Dispatch([4])));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_fault_of_an_asynchronous_handler_reaches_the_awaiter_before_and_after_its_first_await(bool tracks)
    {
        var dispatcher = new MessageDispatcher<int>(trackRunningHandlers: tracks);
        var contract = Given.Text(3);
        var thrown = new InvalidTimeZoneException();
        dispatcher.Register(contract, async (text, _, _) =>
        {
            if (text == "before")
                throw thrown;
            await Task.Yield();
            if (text == "after")
                throw thrown;
        });

        Assert.Same(thrown, await Assert.ThrowsAsync<InvalidTimeZoneException>(() => dispatcher.DispatchAsync(Given.Packed(contract, "before"))));
        Assert.Same(thrown, await Assert.ThrowsAsync<InvalidTimeZoneException>(() => dispatcher.DispatchAsync(Given.Packed(contract, "after"))));
        Assert.Equal(DispatchStatus.Handled, await dispatcher.DispatchAsync(Given.Packed(contract, "go on")));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Exception_of_an_asynchronous_handler_without_a_task_reaches_the_awaiter(bool tracks)
    {
        var dispatcher = new MessageDispatcher<int>(trackRunningHandlers: tracks);
        var contract = Given.Points(3);
        Exception thrown = new InvalidTimeZoneException();
        var registration = dispatcher.Register(contract, (_, _, _) => throw thrown);

        var faulted = dispatcher.DispatchAsync(Given.Packed(contract, default));
        Assert.Same(thrown, await Assert.ThrowsAsync<InvalidTimeZoneException>(() => faulted));
        thrown = new OperationCanceledException();
        var canceled = dispatcher.DispatchAsync(Given.Packed(contract, default));
        Assert.Same(thrown, await Assert.ThrowsAsync<OperationCanceledException>(() => canceled));
        Assert.True(canceled.IsCanceled);

        if (tracks)
            await registration.DisposeAsync().AsTask().InTime(); // the call has ended
    }

    [Theory]
    [MemberData(nameof(Dispatchers))]
    public void A_handler_may_pack_and_dispatch_messages_of_its_own_type(bool tracks, bool compressed)
    {
        var dispatcher = new MessageDispatcher<List<string>>(trackRunningHandlers: tracks);
        MessageContract<string> contract = Given.Text(3, compressed ? Given.Always : null);
        dispatcher.Register(contract, (in string text, ref List<string> log) =>
        {
            log.Add($"in {text}");
            if (text.Length < 4)
            {
                using var nested = Given.Writer.Pack(contract, text + "a");
                Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(nested.Span, ref log));
            }

            log.Add($"out {text}");
        });
        var log = new List<string>();

        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(Given.Packed(contract, "aa"), ref log));

        Assert.Equal(["in aa", "in aaa", "in aaaa", "out aaaa", "out aaa", "out aa"], log);
    }

    [Fact]
    public void A_handler_may_remove_itself_and_register_its_successor()
    {
        var dispatcher = new MessageDispatcher<List<string>>();
        var contract = Given.Points(3);
        var log = new List<string>();
        HandlerRegistration? self = null;
        self = dispatcher.Register(contract, (in Point _, ref List<string> seen) =>
        {
            seen.Add("first");
            self!.Dispose();
            dispatcher.Register(contract, static (in Point _, ref List<string> later) => later.Add("second"));
        });

        dispatcher.Dispatch(Given.Packed(contract, default), ref log);
        dispatcher.Dispatch(Given.Packed(contract, default), ref log);

        Assert.Equal(["first", "second"], log);
    }
}
