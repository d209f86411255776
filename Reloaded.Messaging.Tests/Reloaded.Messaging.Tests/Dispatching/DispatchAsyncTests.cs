using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

public sealed class DispatchAsyncTests
{
    private readonly MessageDispatcher<List<string>> _dispatcher = new();
    private readonly List<string> _log = [];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_bytes_may_be_overwritten_while_the_handler_still_runs(bool compressed)
    {
        var contract = Given.Text(3, compressed ? Given.Always : null);
        var gate = new TaskCompletionSource();
        _dispatcher.Register(contract, async (text, log, _) =>
        {
            await gate.Task;
            log.Add(text);
        });
        var bytes = Given.Packed(contract, "as it was sent");

        var running = _dispatcher.DispatchAsync(bytes, _log).AsTask();
        Assert.False(running.IsCompleted);
        Array.Fill(bytes, (byte)'x');
        using (Given.Writer.Pack(contract, "another message, in the pool's next buffer"))
            gate.SetResult();

        Assert.Equal(DispatchStatus.Handled, await running.InTime());
        Assert.Equal(["as it was sent"], _log);
    }

    [Fact]
    public async Task The_result_of_a_handler_that_completed_at_once_is_taken_once()
    {
        var source = new CountingValueTaskSource();
        var contract = Given.Text(3);
        _dispatcher.Register(contract, (_, _, _) => new ValueTask(source, 0));

        Assert.Equal(DispatchStatus.Handled, await _dispatcher.DispatchAsync(Given.Packed(contract, "a"), _log));

        Assert.Equal(1, source.ResultsTaken);
    }

    [Fact]
    public async Task Handlers_start_in_order_and_may_finish_in_any()
    {
        var contract = Given.Text(3);
        var gates = new Dictionary<string, TaskCompletionSource> { ["a"] = new(), ["b"] = new(), ["c"] = new() };
        _dispatcher.Register(contract, async (text, log, _) =>
        {
            log.Add($"start {text}");
            await gates[text].Task;
            log.Add($"end {text}");
        });

        var running = new Dictionary<string, Task<DispatchStatus>>();
        foreach (var text in gates.Keys)
            running[text] = _dispatcher.DispatchAsync(Given.Packed(contract, text), _log).AsTask();
        Assert.Equal(["start a", "start b", "start c"], _log);

        foreach (var text in new[] { "c", "a", "b" })
        {
            gates[text].SetResult();
            Assert.Equal(DispatchStatus.Handled, await running[text].InTime());
        }

        Assert.Equal(["start a", "start b", "start c", "end c", "end a", "end b"], _log);
    }

    [Theory]
    [InlineData(3u, false)]
    [InlineData(3u, true)]
    [InlineData(300u, false)]
    public async Task The_handler_gets_the_callers_cancellation_token(uint type, bool tracks)
    {
        var dispatcher = new MessageDispatcher<int>(trackRunningHandlers: tracks);
        var contract = Given.Points(type);
        dispatcher.Register(contract, static async (_, _, token) => await Task.Delay(Timeout.Infinite, token));
        using var source = new CancellationTokenSource();

        var running = dispatcher.DispatchAsync(Given.Packed(contract, default), 0, source.Token).AsTask();
        Assert.False(running.IsCompleted);
        await source.CancelAsync();

        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running.InTime());
        Assert.Equal(source.Token, error.CancellationToken);
        Assert.True(running.IsCanceled);
    }

    [Fact]
    public async Task Without_a_token_the_handler_gets_one_that_never_cancels()
    {
        var contract = Given.Points(3);
        var cancelable = true;
        _dispatcher.Register(contract, (_, _, token) =>
        {
            cancelable = token.CanBeCanceled;
            return default;
        });

        await _dispatcher.DispatchAsync(Given.Packed(contract, default), _log);

        Assert.False(cancelable);
    }

    [Fact]
    public async Task An_asynchronous_handler_gets_the_state_by_value()
    {
        var dispatcher = new MessageDispatcher<Tally>();
        var contract = Given.Points(3);
        var seen = 0L;
        dispatcher.Register(contract, (point, tally, _) =>
        {
            tally.Add(point.X);
            seen = tally.Sum;
            return default;
        });
        var tally = new Tally { Sum = 40 };

        Assert.Equal(DispatchStatus.Handled, await dispatcher.DispatchAsync(Given.Packed(contract, new Point(2, 0)), tally));

        Assert.Equal((42, 40), (seen, tally.Sum));
    }

    [Fact]
    public void A_handler_that_completes_at_once_completes_the_call_at_once()
    {
        var contract = Given.Points(3);
        _dispatcher.Register(contract, static (_, _, _) => default);

        var call = _dispatcher.DispatchAsync(Given.Packed(contract, default), _log).AsTask();

        Assert.True(call.IsCompletedSuccessfully);
    }
}
