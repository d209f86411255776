using System;
using System.Collections.Generic;
using System.IO;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>The decisions about refused messages, without a queue and without bytes.</summary>
public sealed class RefusalsTests
{
    private readonly Refusals _refusals = new();

    [Fact]
    public void Exception_of_refused_message_has_text_and_address_of_page()
    {
        var page = File.ReadAllText(Path.Combine(RepositoryFolder.FullName, "docs", "errors.md")).ReplaceLineEndings("\n");

        var refused = new PublicationRefusedException(new RefusedPublication("results", 17, "ACCESS_REFUSED."));

        Assert.Contains($"```text\n{refused.Message}\n```", page, StringComparison.Ordinal);
        Assert.EndsWith("/docs/errors.md#publicationrefusedexception", refused.HelpLink, StringComparison.Ordinal);
    }

    [Fact]
    public void Message_of_a_topic_without_refusals_is_sent()
    {
        Assert.Equal(Verdict.Send, _refusals.Judge(Make("a")));
        Assert.True(_refusals.Permits);
        Assert.Equal((0L, 0L, 0), (_refusals.Rejected, _refusals.Dropped, _refusals.Stalled));
    }

    [Fact]
    public void Message_after_a_refused_one_of_its_topic_waits_and_another_topic_does_not()
    {
        _refusals.Refuse(Make("full"));

        Assert.Equal(Verdict.Hold, _refusals.Judge(Make("full")));
        Assert.Equal(Verdict.Send, _refusals.Judge(Make("free")));
    }

    [Fact]
    public void Refused_message_is_offered_when_it_is_due_and_the_waiting_one_after_its_success()
    {
        var (first, second) = (Make("full"), Make("full"));
        _refusals.Refuse(first);
        _refusals.Judge(second);

        Assert.Equal(100, _refusals.Retry(now: 0, out _));
        Assert.Empty(TakeOffered());
        Assert.Equal(long.MaxValue, _refusals.Retry(now: 100, out _));
        var offered = Assert.Single(TakeOffered());
        Assert.Equal((first.Number, true, true), (offered.Number, offered.IsReleased, offered.IsRepeated));

        Refusals.End(in offered, isConfirmed: true);
        _refusals.Retry(now: 100, out var hasEnded);
        var next = Assert.Single(TakeOffered());
        Assert.Equal((second.Number, false), (next.Number, hasEnded));
        Refusals.End(in next, isConfirmed: true);
        Assert.Equal(long.MaxValue, _refusals.Retry(now: 100, out hasEnded));
        Assert.True(hasEnded);
        Assert.Equal(Verdict.Send, _refusals.Judge(Make("full")));
    }

    [Fact]
    public void Topic_that_fails_three_rounds_is_stalled_once_and_wants_another_channel()
    {
        _refusals.Refuse(Make("full"));
        long now = 0;
        for (var round = 0; round < 3; round++)
        {
            Assert.False(_refusals.TryEndChannel());
            now = FailRound(now);
        }

        _refusals.Retry(now, out _);

        Assert.Equal(1, _refusals.Stalled);
        Assert.False(_refusals.Permits);
        Assert.True(_refusals.TryEndChannel());
        Assert.False(_refusals.TryEndChannel());
        Assert.True(_refusals.TryTakeNotice(out var notice));
        Assert.Equal(new PublishNotice("full", 0, 1, null), notice);
        Assert.False(_refusals.TryTakeNotice(out _));
        Assert.Equal(Verdict.Send, _refusals.Judge(Make("full"))); // each new message is offered once
    }

    [Fact]
    public void Message_that_is_taken_back_waits_without_a_failed_round()
    {
        _refusals.Refuse(Make("full"));
        _refusals.Retry(now: 0, out _);
        _refusals.Retry(now: 100, out _);

        Refusals.TakeBack(Assert.Single(TakeOffered()));
        _refusals.Retry(now: 100, out _);

        Assert.Single(TakeOffered()); // in the same round
        Assert.Equal(1, _refusals.Rejected);
    }

    [Fact]
    public void Suspects_are_sent_one_at_a_time()
    {
        _refusals.Suspect(2);

        for (var number = 0; number < 2; number++)
        {
            Assert.Equal(Verdict.Send, _refusals.Judge(Make("a")));
            Assert.Equal((true, false), (_refusals.IsSuspectOut, _refusals.Permits));
            _refusals.EndSuspect();
        }

        Assert.Equal(Verdict.Send, _refusals.Judge(Make("a")));
        Assert.True(_refusals.Permits);
    }

    [Fact]
    public void Topic_that_the_broker_forbids_is_dropped_until_the_next_connection()
    {
        var guilty = Make("b");
        var exception = _refusals.Drop(in guilty, "ACCESS_REFUSED");
        _refusals.Forbid(guilty.Topic!, "ACCESS_REFUSED");

        Assert.Equal(("b", guilty.Number, "ACCESS_REFUSED"), (exception.Publication.Topic, exception.Publication.Number, exception.Publication.Reason));
        Assert.Equal(Verdict.Drop, _refusals.Judge(Make("b")));
        Assert.Equal(Verdict.Send, _refusals.Judge(Make("a")));
        Assert.False(_refusals.Reopen());
        Assert.Equal(Verdict.Send, _refusals.Judge(Make("b")));
        Assert.True(_refusals.TryTakeNotice(out var notice));
        Assert.Equal((new PublishNotice("b", guilty.Number, 0, "ACCESS_REFUSED"), 1L), (notice, _refusals.Dropped));
    }

    [Fact]
    public void Connection_that_is_lost_with_a_suspect_makes_the_messages_that_are_sent_again_suspects()
    {
        _refusals.Suspect(1);
        _refusals.Judge(Make("a"));

        Assert.True(_refusals.Reopen());
    }

    [Fact]
    public void All_waiting_messages_are_offered_before_the_queue_is_disposed()
    {
        _refusals.Refuse(Make("full"));
        _refusals.Judge(Make("full"));
        _refusals.Refuse(Make("other"));

        _refusals.OfferAll();

        Assert.Equal(3, TakeOffered().Count);
        Assert.Empty(TakeOffered());
    }

    /// <summary>Offers one message, which the broker refuses again.</summary>
    private long FailRound(long now)
    {
        now = _refusals.Retry(now, out _);
        _refusals.Retry(now, out _);
        _refusals.Refuse(Assert.Single(TakeOffered()));
        return now;
    }

    private List<Outgoing> TakeOffered()
    {
        var offered = new List<Outgoing>();
        while (_refusals.TryTakeOffered(out var message))
            offered.Add(message);
        return offered;
    }

    private Outgoing Make(string key)
    {
        var topic = _refusals.GetTopic(key);
        return new Outgoing { Key = key, Topic = topic, Number = ++topic.LastNumber };
    }
}
