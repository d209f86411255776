using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The dead letters of a subscription's group.</summary>
/// <param name="inbox">The inbox of the host.</param>
/// <param name="link">The connection.</param>
/// <param name="subscription">The subscription.</param>
/// <param name="queue">The queue of the dead letters.</param>
/// <param name="count">The number of messages in it.</param>
internal sealed class DeadLetters(Inbox inbox, BrokerConnection link, Subscription subscription, string queue, long count)
{
    /// <summary>The header in which the broker records why and from where a message became a dead letter.</summary>
    public const string DeathsHeader = "x-death";

    /// <summary>The shortest time between two checks of the queue.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);

    private readonly object _gate = new();
    private long _count = count;
    private long _added;
    private int _isLooking;
    private bool _isFull;

    /// <summary>Returns the original topic of a dead letter, or <c>null</c> if the header does not contain it.</summary>
    /// <param name="deaths">The value of <see cref="DeathsHeader"/>.</param>
    /// <param name="exchange">The exchange of the topics.</param>
    public static string? TopicOf(object? deaths, string exchange)
    {
        if (deaths is not IList<object?> records)
            return null;
        foreach (var record in records)
        {
            if (record is IDictionary<string, object?> death
                && death.TryGetValue("exchange", out var from) && from is byte[] name && Encoding.UTF8.GetString(name) == exchange
                && death.TryGetValue("routing-keys", out var keys) && keys is IList<object?> { Count: > 0 } all && all[0] is byte[] topic)
            {
                return Encoding.UTF8.GetString(topic);
            }
        }

        return null;
    }

    /// <summary>Returns whether the broker moved a message last because the time in its queue was over.</summary>
    /// <param name="deaths">The value of <see cref="DeathsHeader"/>.</param>
    public static bool IsExpired(object? deaths) =>
        deaths is IList<object?> { Count: > 0 } records && records[0] is IDictionary<string, object?> last
        && last.TryGetValue("reason", out var reason) && reason is byte[] text && Encoding.UTF8.GetString(text) == "expired";

    /// <summary>Records that a message was sent to the dead letters. The host soon checks whether their queue is full.</summary>
    public void Note()
    {
        Interlocked.Increment(ref _added);
        if (Interlocked.Exchange(ref _isLooking, 1) == 0)
            _ = LookSoonAsync();
    }

    private async Task LookSoonAsync()
    {
        try
        {
            await Task.Delay(s_pause, link.Ended).ConfigureAwait(false); // the broker moves a dead letter with a delay after the reject
            Volatile.Write(ref _isLooking, 0);
            var added = Interlocked.Exchange(ref _added, 0);
            await using var channel = await link.Consuming.CreateChannelAsync(cancellationToken: link.Ended).ConfigureAwait(false);
            var there = await channel.QueueDeclarePassiveAsync(queue, link.Ended).ConfigureAwait(false);
            Compare(there.MessageCount, added);
        }
        catch (Exception e) when (e is OperationCanceledException || link.IsLost)
        {
            Volatile.Write(ref _isLooking, 0); // the next connection checks when it declares the queue
        }
        catch (Exception e)
        {
            inbox.Reports.ReportFailure(default, 0, e);
        }
    }

    private void Compare(long now, long added)
    {
        bool isNew;
        lock (_gate)
        {
            var expected = _count + added;
            var isFull = now >= subscription.Queue.MaxLength;
            isNew = isFull && !_isFull;
            (_count, _isFull) = (now, isFull);
            if (isFull && expected > now)
                inbox.Reports.Count(RabbitCounter.DeadLettersOverflowed, expected - now);
        }

        if (isNew)
            inbox.ReportDeadLettersFull(subscription.Reported);
    }
}
