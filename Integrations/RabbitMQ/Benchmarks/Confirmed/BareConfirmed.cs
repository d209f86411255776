using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Rabbit.Publishing;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Confirmed;

/// <summary>Publishes with the client library alone, and counts the confirms of the broker. This is faster than the tracking of the client, which allocates a task for each message.</summary>
public sealed class BareConfirmed : IConfirmedPublisher
{
    private readonly BareMessage _message = new(DeliveryModes.Persistent);
    private readonly SemaphoreSlim _room = new(IConfirmedPublisher.Window);
    private readonly bool[] _confirmed = new bool[IConfirmedPublisher.Window]; // by the number of the publication, modulo the window
    private readonly IChannel _channel;
    private readonly string _exchange;
    private readonly string _topic;
    private ulong _oldest = 1;
    private long _number;
    private bool _isRefused;

    private BareConfirmed(IChannel channel, string exchange, string topic) => (_channel, _exchange, _topic) = (channel, exchange, topic);

    /// <summary>Creates the publisher and its channel.</summary>
    public static async Task<BareConfirmed> OpenAsync(IConnection connection, string exchange, string topic)
    {
        var channel = await connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: false));
        var publisher = new BareConfirmed(channel, exchange, topic);
        channel.BasicAcksAsync += (_, ack) =>
        {
            publisher.Confirm(ack.DeliveryTag, ack.Multiple);
            return Task.CompletedTask;
        };
        channel.BasicNacksAsync += (_, nack) =>
        {
            publisher._isRefused = true;
            publisher.Confirm(nack.DeliveryTag, nack.Multiple);
            return Task.CompletedTask;
        };
        return publisher;
    }

    /// <summary>Publishes a number of messages, without waiting for the last confirms.</summary>
    public async Task SendAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            await _room.WaitAsync();
            _message.Number = ++_number;
            await _channel.BasicPublishAsync(_exchange, _topic, mandatory: true, _message.Properties, _message.Body);
        }
    }

    public async Task<long> PublishAsync(TimeSpan time)
    {
        var (watch, before) = (Stopwatch.StartNew(), _number);
        while (watch.Elapsed < time)
            await SendAsync(IConfirmedPublisher.Block);
        for (var i = 0; i < IConfirmedPublisher.Window; i++)
            await _room.WaitAsync();
        _room.Release(IConfirmedPublisher.Window);
        if (_isRefused)
            throw new InvalidOperationException($"The broker refused messages to '{_topic}'. Their queue is full.");
        return _number - before;
    }

    // The client calls this for one confirm after the other.
    private void Confirm(ulong number, bool multiple)
    {
        for (var one = multiple ? _oldest : number; one <= number; one++)
            _confirmed[one % IConfirmedPublisher.Window] = true;
        var free = 0;
        for (; _confirmed[_oldest % IConfirmedPublisher.Window]; _oldest++, free++)
            _confirmed[_oldest % IConfirmedPublisher.Window] = false;
        if (free > 0)
            _room.Release(free);
    }
}
