using Reloaded.Messaging.Hosting.Requests;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class RunningAnswersTests
{
    private readonly RunningAnswers _answers = new(_ => Assert.Fail("Nothing here throws."));

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

    private bool Begin(uint id)
    {
        using var answer = _answers.Begin(id);
        _answers.End(answer);
        return answer.IsCancellationRequested;
    }
}
