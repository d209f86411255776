using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Simulation.Laws;

namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>The queue of a publisher with confirms, and a broker that refuses, blocks, closes channels and loses connections, as RabbitMQ does.</summary>
internal sealed class PublisherScenario
{
    private const int MaxBytes = 16 * 1024;

    private readonly PublishQueue _queue = new(MaxBytes, confirms: true);
    private readonly SimulatedBroker _broker;
    private readonly Dictionary<string, int> _sent = [];
    private readonly HashSet<(string Topic, int Number)> _refused = [];
    private readonly int _topics = 1 + World.Random.Next(4);
    private int _messages = 20 + World.Random.Next(200);
    private bool _isOver;

    private PublisherScenario() => _broker = new SimulatedBroker(_queue);

    public static Task RunAsync() => new PublisherScenario().RunWorldAsync();

    private async Task RunWorldAsync()
    {
        World.After(TimeSpan.FromMinutes(30).Ticks, null, () => World.Fail(new LawException(LawNames.NoEndlessWait, $"The world is still running after 30 minutes: {_queue.Counts}.")));
        World.Note($"world: publisher, {_topics} topics, {_messages} messages");
        _queue.Open();
        var publishing = PublishAsync();
        var adding = AddAsync();
        await DisturbAsync().ConfigureAwait(false);
        _broker.Heal();
        await adding.ConfigureAwait(false);
        try
        {
            await _queue.FlushAsync().ConfigureAwait(false);
        }
        catch (PublicationRefusedException e)
        {
            World.Note($"flush: {e.Message}");
        }

        while (_queue.Counts.Pending > 0)
            await World.DelayAsync(50).ConfigureAwait(false);
        await StopAsync(publishing).ConfigureAwait(false);
        Check();
        await EndAsync().ConfigureAwait(false);
    }

    /// <summary>Disposes the queue while messages wait for room, for their confirms, or for another try.</summary>
    private async Task EndAsync()
    {
        _isOver = false;
        var publishing = PublishAsync();
        if (World.Random.Chance(0.5))
            _broker.SetFull("topic 0", isFull: true);
        var adding = AddUntilSealedAsync();
        await World.DelayAsync(World.Random.Next(300)).ConfigureAwait(false);
        var flush = _queue.FlushAsync();
        if (World.Random.Chance(0.3))
            await _broker.LoseConnectionAsync(World.Random.Next(100)).ConfigureAwait(false);
        _queue.Seal();
        await adding.ConfigureAwait(false);
        await StopAsync(publishing).ConfigureAwait(false);

        var (pending, isFlushed) = (_queue.Counts.Pending, flush.IsCompleted);
        World.Note($"disposes the queue with {pending} messages");
        _queue.Dispose();

        var counts = _queue.Counts;
        Law.Require(counts is { HeldBytes: 0, Pending: 0 }, LawNames.Memory, $"The disposed queue holds {counts.Pending} messages in {counts.HeldBytes} bytes.");
        Law.Require(isFlushed || flush.IsFaulted, BrokerLawNames.Delivered, "A flush did not fail, and the queue was disposed before its messages were confirmed.");
        try
        {
            await flush.ConfigureAwait(false);
        }
        catch (Exception e) when (e is ObjectDisposedException or PublicationRefusedException)
        {
            World.Note($"flush: {e.Message}");
        }
    }

    /// <summary>Ends the loop that publishes, after it has taken the notices of the queue.</summary>
    private Task StopAsync(Task publishing)
    {
        _isOver = true;
        _queue.Wake();
        return publishing;
    }

    /// <summary>Adds messages until the queue refuses all further ones.</summary>
    private async Task AddUntilSealedAsync()
    {
        while (true)
        {
            var topic = $"topic {World.Random.Next(_topics)}";
            var message = new byte[500];
            BinaryPrimitives.WriteInt32LittleEndian(message, _sent.GetValueOrDefault(topic));
            if (await AddAsync(topic, message).ConfigureAwait(false) == SendStatus.Closed)
                return;
            if (World.Random.Chance(0.2))
                await World.DelayAsync(World.Random.Next(20)).ConfigureAwait(false);
        }
    }

    private async Task AddAsync()
    {
        for (; _messages > 0; _messages--)
        {
            var topic = $"topic {World.Random.Next(_topics)}";
            var number = _sent.GetValueOrDefault(topic);
            var message = new byte[5 + World.Random.Next(World.Random.Chance(0.1) ? 8000 : 200)];
            BinaryPrimitives.WriteInt32LittleEndian(message, number);
            message[4] = World.Random.Chance(0.01) ? SimulatedBroker.Guilty : (byte)0;
            var status = await AddAsync(topic, message).ConfigureAwait(false);
            Law.Require(status == SendStatus.Sent, LawNames.RequestReason, $"A message was not added, with the status {status}, and the queue is neither sealed nor closed.");
            if (World.Random.Chance(0.05))
                await World.DelayAsync(World.Random.Next(200)).ConfigureAwait(false);
        }
    }

    /// <summary>Adds a message as soon as there is room, and counts it.</summary>
    private async Task<SendStatus> AddAsync(string topic, byte[] message)
    {
        SendStatus status;
        while ((status = _queue.TryAdd(message, topic, OutgoingKind.Event, isSecret: false)) == SendStatus.Full)
            await _queue.WaitForRoomAsync(message.Length, topic).ConfigureAwait(false);
        if (status == SendStatus.Sent)
            _sent[topic] = _sent.GetValueOrDefault(topic) + 1;
        return status;
    }

    /// <summary>Publishes as the loop of a channel does.</summary>
    private async Task PublishAsync()
    {
        while (!_isOver)
        {
            await _queue.WaitForWorkAsync().ConfigureAwait(false);
            var next = _queue.Retry(World.Milliseconds);
            if (next != long.MaxValue)
                World.After((next - World.Milliseconds) * TimeSpan.TicksPerMillisecond, null, _queue.Wake);
            if (_queue.TryEndChannel())
            {
                _broker.ReplaceChannel();
                _queue.Wake();
                continue;
            }

            while (_broker.IsChannelOpen && _queue.TryTake(null, 0, out var publication))
                _broker.Publish(in publication);
            while (_queue.TryTakeNotice(out var notice))
            {
                World.Note($"notice: {notice}");
                if (notice.Reason is not null)
                    _refused.Add((notice.Topic, (int)(notice.Number - 1)));
            }
        }
    }

    private async Task DisturbAsync()
    {
        for (var left = World.Random.Next(8); left > 0; left--)
        {
            await World.DelayAsync(World.Random.Next(World.Random.Chance(0.5) ? 50 : 2000)).ConfigureAwait(false);
            switch (World.Random.Next(4))
            {
                case 0:
                    await _broker.LoseConnectionAsync(World.Random.Next(500)).ConfigureAwait(false);
                    break;
                case 1:
                    _broker.SetFull($"topic {World.Random.Next(_topics)}", World.Random.Chance(0.7));
                    break;
                case 2:
                    _broker.SetBlocked(true);
                    await World.DelayAsync(World.Random.Next(300)).ConfigureAwait(false);
                    _broker.SetBlocked(false);
                    break;
                default:
                    _broker.ReplaceChannel();
                    _queue.Interrupt(_queue.Flights, "closed by chance", isTopic: false);
                    break;
            }
        }
    }

    private void Check()
    {
        foreach (var (topic, count) in _sent)
        {
            for (var number = 0; number < count; number++)
            {
                var isThere = _broker.Has(topic, number);
                Law.Require(isThere || _refused.Contains((topic, number)), BrokerLawNames.Delivered, $"Message {number} of {topic} neither reached the broker nor was reported as refused.");
            }
        }

        var counts = _queue.Counts;
        Law.Require(counts.Confirmed + counts.Refused == _sent.Values.Sum(), LawNames.NothingUncounted, $"{_sent.Values.Sum()} messages were sent; {counts.Confirmed} count as confirmed and {counts.Refused} as refused.");
    }
}

/// <summary>A broker with one connection. It answers publications after a delay, in their order, and it marks which messages it stores.</summary>
internal sealed class SimulatedBroker(PublishQueue queue)
{
    /// <summary>The mark of a message for which the broker closes the channel.</summary>
    public const byte Guilty = 1;

    private readonly HashSet<(string Topic, int Number)> _stored = [];
    private readonly HashSet<(string Topic, int Number)> _published = [];
    private readonly HashSet<string> _full = [];
    private readonly long _delay = World.Random.Next(3) switch { 0 => 1_000, 1 => 10_000, _ => 500_000 };
    private int _channel;
    private ulong _tag;
    private long _lastEvent;
    private bool _isClosing;

    /// <summary>Whether the program knows of no end of the channel.</summary>
    public bool IsChannelOpen { get; private set; } = true;

    public bool Has(string topic, int number) => _stored.Contains((topic, number));

    public void SetFull(string topic, bool isFull)
    {
        World.Note($"broker: {topic} is {(isFull ? "full" : "not full")}");
        if (isFull)
            _full.Add(topic);
        else
            _full.Remove(topic);
    }

    public void SetBlocked(bool isBlocked)
    {
        World.Note($"broker: {(isBlocked ? "blocked" : "unblocked")}");
        queue.Block(isBlocked);
    }

    public void Heal()
    {
        World.Note("broker: healed");
        _full.Clear();
        queue.Wake();
    }

    /// <summary>Begins a channel. The earlier channel answers nothing any more.</summary>
    public void ReplaceChannel()
    {
        World.Note("broker: another channel");
        _channel++;
        (_tag, _isClosing, IsChannelOpen) = (0, false, true);
        queue.Wake();
    }

    public async Task LoseConnectionAsync(int milliseconds)
    {
        World.Note($"broker: connection lost for {milliseconds} ms");
        _channel++;
        IsChannelOpen = false;
        queue.Close();
        await World.DelayAsync(milliseconds).ConfigureAwait(false);
        ReplaceChannel();
        queue.Open();
    }

    public void Publish(in Publication publication)
    {
        var (topic, number, isGuilty) = (publication.Head.Key, BinaryPrimitives.ReadInt32LittleEndian(publication.Body.Span), publication.Body.Span[4] == Guilty);
        var (channel, tag, isRepeated) = (_channel, ++_tag, publication.Head.IsRepeated);
        Law.Require(publication.Flight == tag, BrokerLawNames.Tags, $"The queue numbers a publication {publication.Flight}, and the broker {tag}.");
        Law.Require(_published.Add((topic, number)) || isRepeated, BrokerLawNames.Marked, $"Message {number} of {topic} is published again without the mark.");
        World.Note($"publishes {tag}: {number} of {topic}{(isRepeated ? ", again" : "")}");
        InOrder(() => Receive(channel, tag, topic, number, isGuilty));
    }

    private void Receive(int channel, ulong tag, string topic, int number, bool isGuilty)
    {
        if (channel != _channel)
        {
            if (World.Random.Chance(0.5) && !isGuilty)
                _stored.Add((topic, number)); // it arrived before the connection was lost, and its confirm did not
            return;
        }

        if (_isClosing)
            return;
        if (isGuilty)
        {
            _isClosing = true;
            InOrder(() => Close(channel));
            return;
        }

        var isTaken = !_full.Contains(topic);
        if (isTaken)
            _stored.Add((topic, number));
        InOrder(() => Answer(channel, tag, isTaken));
    }

    private void Answer(int channel, ulong tag, bool isTaken)
    {
        if (channel == _channel)
            queue.Confirm(queue.Flights, tag, multiple: false, isTaken);
    }

    private void Close(int channel)
    {
        if (channel != _channel)
            return;
        World.Note("broker: closes the channel because of a message");
        queue.Interrupt(queue.Flights, "PRECONDITION_FAILED", isTopic: false);
        IsChannelOpen = false;
        World.After(TimeSpan.FromMilliseconds(10).Ticks, null, () =>
        {
            if (channel == _channel)
                ReplaceChannel();
        });
    }

    private void InOrder(Action run)
    {
        _lastEvent = Math.Max(_lastEvent + 1, World.Now + _delay);
        World.After(_lastEvent - World.Now, null, run);
    }
}
