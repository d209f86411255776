using System;
using System.Diagnostics;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Requests;

/// <summary>Sends requests with the client library alone, one after the other. The broker passes the replies on without a queue ("direct reply-to").</summary>
public sealed class BareRequests : AsyncDefaultBasicConsumer
{
    private const string ReplyQueue = "amq.rabbitmq.reply-to";

    private readonly string _queue;
    private readonly byte[] _body;
    private readonly BasicProperties _properties = new() { ReplyTo = ReplyQueue };
    private TaskCompletionSource _replied = new();
    private long _number;

    private BareRequests(IChannel channel, string name, byte[] body)
        : base(channel) => (_queue, _body) = (QueueOf(name), body);

    /// <summary>The queue of requests to a name.</summary>
    public static string QueueOf(string name) => $"bare.requests.{name}";

    /// <param name="connection">The connection.</param>
    /// <param name="name">The name that requests are sent to.</param>
    /// <param name="body">The body of a request.</param>
    public static async Task<BareRequests> OpenAsync(IConnection connection, string name, byte[] body)
    {
        var requests = new BareRequests(await connection.CreateChannelAsync(), name, body);
        await requests.Channel.BasicConsumeAsync(ReplyQueue, autoAck: true, requests);
        return requests;
    }

    /// <returns>The number of requests per second.</returns>
    public async Task<double> RunAsync(TimeSpan time)
    {
        var (watch, before) = (Stopwatch.StartNew(), _number);
        while (watch.Elapsed < time)
        {
            _replied = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _properties.CorrelationId = (++_number).ToString(CultureInfo.InvariantCulture);
            await Channel.BasicPublishAsync("", _queue, mandatory: true, _properties, _body);
            await _replied.Task;
        }

        return (_number - before) / watch.Elapsed.TotalSeconds;
    }

    public override Task HandleBasicDeliverAsync(
        string consumerTag,
        ulong deliveryTag,
        bool redelivered,
        string exchange,
        string routingKey,
        IReadOnlyBasicProperties properties,
        ReadOnlyMemory<byte> body,
        CancellationToken cancellationToken = default)
    {
        if (properties.CorrelationId == _properties.CorrelationId && body.Span.SequenceEqual(_body))
            _replied.SetResult();
        else
            _replied.SetException(new InvalidOperationException($"The reply to request {_properties.CorrelationId} has the id {properties.CorrelationId} and {body.Length} bytes. {_body.Length} bytes were sent."));
        return Task.CompletedTask;
    }
}
