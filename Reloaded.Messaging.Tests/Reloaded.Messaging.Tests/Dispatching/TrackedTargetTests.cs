using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>A dispatch that read the tables just before a handler was removed, and calls it just after.</summary>
public sealed class TrackedTargetTests
{
    private readonly MessageDispatcher<string> _dispatcher = new(trackRunningHandlers: true);
    private readonly RunningCalls _running = new();
    private readonly TrackedTarget<string> _late;

    public TrackedTargetTests()
    {
        var removed = new RawTarget<string>(_dispatcher, 3, static (in MessageHeader _, ReadOnlySpan<byte> _, ref string state) => state = "removed", DispatchStatus.Handled);
        _late = new TrackedTarget<string>(_dispatcher, removed, _running);
    }

    [Fact]
    public async Task Until_it_is_closed_the_target_itself_is_called() => await AssertReaches(DispatchStatus.Handled, "removed");

    [Fact]
    public async Task A_late_call_has_no_handler()
    {
        Assert.True(_running.CloseAsync().AsTask().IsCompletedSuccessfully);

        await AssertReaches(DispatchStatus.NoHandler, "");
    }

    [Fact]
    public async Task A_late_call_goes_to_the_replacement()
    {
        Assert.True(_running.CloseAsync().AsTask().IsCompletedSuccessfully);
        _dispatcher.RegisterFallback(static (in MessageHeader _, ReadOnlySpan<byte> _, ref string state) => state = "fallback");
        _dispatcher.RegisterRaw(3, static (in MessageHeader _, ReadOnlySpan<byte> _, ref string state) => state = "replacement");

        await AssertReaches(DispatchStatus.Handled, "replacement");
    }

    [Fact]
    public async Task A_late_call_goes_to_the_fallback()
    {
        Assert.True(_running.CloseAsync().AsTask().IsCompletedSuccessfully);
        _dispatcher.RegisterFallback(static (in MessageHeader _, ReadOnlySpan<byte> _, ref string state) => state = "fallback");

        await AssertReaches(DispatchStatus.HandledByFallback, "fallback");
    }

    [Fact]
    public async Task A_handler_that_throws_has_ended()
    {
        var throwing = new ThrowingTarget(_dispatcher);
        var target = new TrackedTarget<string>(_dispatcher, throwing, _running);
        var (header, state) = (new MessageHeader(3), "");

        Assert.Throws<NotSupportedException>(() => target.Handle(in header, default, ref state));
        await Assert.ThrowsAsync<NotSupportedException>(async () => await target.HandleAsync(in header, default, "", default));

        Assert.True(_running.CloseAsync().AsTask().IsCompletedSuccessfully);
    }

    private async Task AssertReaches(DispatchStatus status, string expected)
    {
        var (header, state) = (new MessageHeader(3), "");
        Assert.Equal((status, expected), (_late.Handle(in header, default, ref state), state));
        Assert.Equal(status, await _late.HandleAsync(in header, default, "", default));
    }

    private sealed class ThrowingTarget(MessageDispatcher<string> dispatcher) : Target<string>(dispatcher, 3, null)
    {
        protected override Route<string> CreateRoute() => throw new NotSupportedException();

        public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref string state) => throw new NotSupportedException();

        public override ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, string state, CancellationToken cancellationToken) => throw new NotSupportedException();
    }
}
