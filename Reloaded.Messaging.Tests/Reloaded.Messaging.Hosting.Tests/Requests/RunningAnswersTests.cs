using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class RunningAnswersTests
{
    private readonly InFlightRequests _answers = new(new HostEvents(), peer: null);

    [Fact]
    public void What_is_taken_back_while_it_waits_begins_canceled_and_nothing_else_does()
    {
        _answers.Enqueue(1);
        _answers.Enqueue(2);
        _answers.Cancel(1);
        _answers.Cancel(3); // it does not wait yet: this is none's

        Assert.True(Begin(1));
        Assert.False(Begin(2));
        Assert.False(Begin(3));
        _answers.NotePumped(1);
        Assert.False(Begin(1)); // another one of that id, later
    }

    [Fact]
    public void What_was_pumped_without_a_handler_that_could_be_canceled_is_forgotten()
    {
        _answers.Enqueue(1);
        _answers.Cancel(1);
        _answers.NotePumped(1);

        Assert.False(Begin(1));
    }

    [Fact]
    public void What_waits_when_the_peer_ends_begins_canceled()
    {
        _answers.Enqueue(1);
        _answers.Close();
        _answers.Enqueue(2);

        Assert.True(Begin(1));
        Assert.True(Begin(2));
    }

    [Fact]
    public async Task Cancel_ends_the_latest_of_the_handlers_with_one_id()
    {
        using var first = _answers.Begin(7);
        using var second = _answers.Begin(7);
        using var third = _answers.Begin(7);
        using var other = _answers.Begin(8);

        _answers.End(second);
        _answers.Cancel(7);
        await Signal.UntilAsync(() => third.IsCancellationRequested);
        Assert.Equal((false, false), (first.IsCancellationRequested, other.IsCancellationRequested));
        _answers.End(third);
        _answers.Cancel(7);
        await Signal.UntilAsync(() => first.IsCancellationRequested);
        _answers.End(first);
        _answers.Cancel(7); // none of that id runs
        _answers.Close();
        await Signal.UntilAsync(() => other.IsCancellationRequested);
    }

    [Fact]
    public void Token_of_an_ended_request_keeps_no_later_request_of_its_id()
    {
        using var kept = _answers.Begin(7);
        var later = BeginAndEndLater(kept, 20);

        GC.Collect();

        Assert.InRange(Array.FindAll(later, static one => one.IsAlive).Length, 0, later.Length / 2); // the stack may still refer to the last ones
    }

    [Fact]
    public void Cancel_and_turnover_of_handlers_allocate_only_the_handlers_token_source()
    {
        for (var id = 0u; id < 100; id++)
            _answers.Begin(id);
        var answer = _answers.Begin(1000);
        _answers.End(answer);

        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            _answers.Cancel(5000);
            _answers.Enqueue(5001);
            _answers.Cancel(5001);
            _answers.NotePumped(5001);
        }));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference[] BeginAndEndLater(InFlightRequests.Answer older, int count)
    {
        var later = new WeakReference[count];
        for (var i = 0; i < count; i++)
        {
            var next = _answers.Begin(older.CorrelationId);
            _answers.End(older);
            (later[i], older) = (new WeakReference(next), next);
        }

        _answers.End(older);
        return later;
    }

    private bool Begin(uint id)
    {
        using var answer = _answers.Begin(id);
        _answers.End(answer);
        return answer.IsCancellationRequested;
    }
}
