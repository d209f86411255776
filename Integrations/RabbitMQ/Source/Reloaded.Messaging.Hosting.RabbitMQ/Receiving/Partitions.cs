using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The partitions of a group in one host. Each has its own queue, which the broker delivers to one host at a time.</summary>
/// <remarks>
/// Every host waits for every partition. A host that holds more than its share gives a partition to the host that waits longest. A partition
/// counts as held when it has delivered a message: without messages, its distribution does not matter.
/// </remarks>
internal sealed class Partitions : IAsyncDisposable
{
    /// <summary>The time between two comparisons with the share of the host. It varies by half, so that hosts do not act at the same time.</summary>
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(500);

    private readonly Inbox _inbox;
    private readonly Subscription _whole;
    private readonly SubscribedQueue _queue;
    private readonly Subscription[] _all;
    private Roster? _roster;

    public Partitions(Inbox inbox, Subscription whole, SubscribedQueue queue)
    {
        (_inbox, _whole, _queue) = (inbox, whole, queue);
        _all = new Subscription[queue.Partitions];
        for (var number = 0; number < _all.Length; number++)
            _all[number] = new Subscription(inbox, queue.PartitionOf(number), whole);
    }

    /// <summary>The reason of the first partition that does not receive; otherwise, <c>null</c>.</summary>
    public string? Failure => Array.Find(_all, static partition => partition.Failure is not null)?.Failure;

    /// <summary>Declares the queues of all partitions, receives from them, and starts their distribution.</summary>
    public async Task StartAsync(BrokerConnection link, CancellationToken cancellationToken)
    {
        await PartitionDeclarer.ThrowIfPlainAsync(link.Consuming, _inbox.Names, _queue, cancellationToken).ConfigureAwait(false);
        try
        {
            await using (var channel = await link.Consuming.CreateChannelAsync(cancellationToken: cancellationToken).ConfigureAwait(false))
            {
                if (_inbox.Options.DeclaresTopology)
                    await PartitionDeclarer.DeclareExchangesAsync(channel, _inbox.Names, _queue, cancellationToken).ConfigureAwait(false);
                _roster = await JoinAsync(link, cancellationToken).ConfigureAwait(false);
                foreach (var partition in _all)
                    await partition.StartAsync(link, cancellationToken).ConfigureAwait(false);
                if (_inbox.Options.DeclaresTopology)
                    await PartitionDeclarer.BindExchangeAsync(channel, _inbox.Names, _queue, cancellationToken).ConfigureAwait(false);
            }

            _ = BalanceAsync(link);
        }
        catch
        {
            using var limit = new CancellationTokenSource(_inbox.Options.StopTimeout);
            await Task.WhenAll(Array.ConvertAll(_all, partition => partition.CloseAsync(limit.Token))).ConfigureAwait(false);
            await LeaveAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Waits for the handlers of the received messages. Later messages of the partitions are not handled here.</summary>
    public Task StopAsync(CancellationToken limit) => Task.WhenAll(Array.ConvertAll(_all, partition => partition.StopAsync(limit)));

    public void Check(long now) => Array.ForEach(_all, partition => partition.Check(now));

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(Array.ConvertAll(_all, static partition => partition.DisposeAsync().AsTask())).ConfigureAwait(false);
        await LeaveAsync().ConfigureAwait(false);
    }

    private Task<Roster> JoinAsync(BrokerConnection link, CancellationToken cancellationToken) =>
        Roster.JoinAsync(link.Consuming, _inbox.Names.RosterOf(_queue.Group!, _queue.Topic), _inbox.Options, cancellationToken);

    private async Task LeaveAsync()
    {
        if (Interlocked.Exchange(ref _roster, null) is { } roster)
            await roster.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Shares the partitions until the connection is lost. When the roster is lost, for example with its node, the host joins it again.</summary>
    private async Task BalanceAsync(BrokerConnection link)
    {
        var isReported = false;
        while (!link.IsLost && !_whole.IsDisposed && !_inbox.IsStopping)
        {
            try
            {
                await ShareAsync(link).ConfigureAwait(false);
                isReported = false;
            }
            catch (Exception e) when (!link.IsLost && !_whole.IsDisposed && !_inbox.IsStopping)
            {
                if (!isReported)
                    _inbox.Events.ReportSubscriptionFailed(_whole, $"The partitions are not shared for now: {Reason.Of(e)}");
                isReported = true;
                await LeaveAsync().ConfigureAwait(false);
            }
            catch (Exception)
            {
                return; // the connection is lost or the subscription is disposed
            }
        }
    }

    /// <summary>Gives a partition to another host if this host holds more than its share.</summary>
    private async Task ShareAsync(BrokerConnection link)
    {
        await Task.Delay(s_interval * (0.75 + (0.5 * Random.Shared.NextDouble())), link.Ended).ConfigureAwait(false);
        var roster = _roster ??= await JoinAsync(link, link.Ended).ConfigureAwait(false);
        var share = await roster.ShareAsync(_all.Length, link.Ended).ConfigureAwait(false);
        var held = Array.FindAll(_all, static partition => partition.HasReceived);
        if (held.Length > share && !_whole.IsDisposed && !_inbox.IsStopping)
            await held[Random.Shared.Next(held.Length)].YieldAsync(link).ConfigureAwait(false);
    }
}

/// <summary>Counts the hosts that share the partitions of a group: each of them has a consumer of one queue, which never contains a message.</summary>
/// <remarks>The broker shows the consumers of a partition only while they are active, so the partitions themselves do not show the waiting hosts.</remarks>
internal sealed class Roster : AsyncDefaultBasicConsumer, IAsyncDisposable
{
    private readonly string _queue;
    private volatile bool _isCanceled;

    private Roster(IChannel channel, string queue)
        : base(channel) => _queue = queue;

    /// <summary>Enters the host into the roster.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="queue">The name of the queue.</param>
    /// <param name="options">The options of the host.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The entry. Dispose it to leave the roster.</returns>
    public static async Task<Roster> JoinAsync(IConnection connection, string queue, RabbitOptions options, CancellationToken cancellationToken)
    {
        var channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        try
        {
            var roster = new Roster(channel, queue);
            await TopologyDeclarer.DeclareRosterAsync(channel, queue, options, BrokerVersion.SharesQuorum(connection.ServerProperties), cancellationToken).ConfigureAwait(false);
            await channel.BasicConsumeAsync(queue, autoAck: true, roster, cancellationToken).ConfigureAwait(false);
            return roster;
        }
        catch
        {
            await channel.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Returns the largest number of partitions that this host should hold.</summary>
    /// <param name="partitions">The number of partitions.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="InvalidOperationException">Thrown when the broker has removed the host from the roster.</exception>
    public async Task<int> ShareAsync(int partitions, CancellationToken cancellationToken)
    {
        if (_isCanceled)
            throw new InvalidOperationException("The queue of the roster was deleted, or its node failed.");
        var hosts = Math.Max(1, (int)(await Channel.QueueDeclarePassiveAsync(_queue, cancellationToken).ConfigureAwait(false)).ConsumerCount);
        return (partitions + hosts - 1) / hosts;
    }

    public override Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        _isCanceled = true;
        return base.HandleBasicCancelAsync(consumerTag, cancellationToken);
    }

    public ValueTask DisposeAsync() => Channel.DisposeAsync();
}
