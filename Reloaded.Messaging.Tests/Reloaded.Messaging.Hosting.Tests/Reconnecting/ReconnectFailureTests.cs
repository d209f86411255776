using System.Collections.Concurrent;
using System.IO;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

/// <summary>A client goes on connecting whatever an attempt ends with.</summary>
public sealed class ReconnectFailureTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"reconnect-failure-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public async Task NextEndpoint_that_throws_is_a_failed_attempt_and_the_next_one_connects()
    {
        var thrown = new ConcurrentQueue<Exception>([new UnauthorizedAccessException("no rights"), new IOException("no disk"), new InvalidOperationException("a mistake")]);
        var server = await ListenAsync();
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: With(attempt =>
            thrown.TryDequeue(out var exception) ? throw exception : new(attempt.Endpoint)));
        var failures = new ConcurrentQueue<string>();
        client.ReconnectFailed += failure => failures.Enqueue(failure.Message);

        await server.DisposeAsync();
        await using var next = await ListenAsync();
        await Signal.UntilAsync(() => client.Reconnects == 1);

        Assert.Contains("no rights", failures);
        Assert.Contains("no disk", failures);
        Assert.Contains("a mistake", failures);
        Assert.Equal(1, client.GetStatistics().HandlerFailures); // the mistake
        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    /// <summary>A program that gives up in a callback, and waits there until its client is disposed.</summary>
    [Theory]
    [InlineData("NextEndpoint")]
    [InlineData("ReconnectFailed")]
    [InlineData("HandlerFailed")]
    public async Task Callback_of_an_attempt_that_disposes_its_client_does_not_wait_for_itself(string callback)
    {
        var ended = Signal.New<bool>();
        var server = await ListenAsync();
        MessageClient? client = null;
        client = await MessageHost.ConnectAsync(_endpoint, options: With(attempt =>
        {
            EndIn("NextEndpoint");
            return callback == "HandlerFailed" ? throw new InvalidOperationException("a mistake") : new(attempt.Endpoint);
        }));
        client.ReconnectFailed += _ => EndIn("ReconnectFailed");
        client.HandlerFailed += _ => EndIn("HandlerFailed");

        await server.DisposeAsync();

        Assert.True(await ended.Task.InTime());

        void EndIn(string name)
        {
            if (name == callback)
                ended.TrySetResult(client!.DisposeAsync().AsTask().Wait(Deadline.Length / 2));
        }
    }

    [Fact]
    public async Task NextEndpoint_that_throws_an_IOException_in_the_first_connect_is_a_failed_attempt()
    {
        var failures = new ConcurrentQueue<Exception>();
        MessageServer? server = null;
        var options = With(async attempt =>
        {
            failures.Enqueue(attempt.Failure);
            if (attempt.Number == 1)
                throw new IOException("no disk");
            server = await ListenAsync();
            return attempt.Endpoint;
        });

        await using var client = await MessageHost.ConnectAsync(_endpoint, options: options).InTime();

        Assert.Contains(failures, failure => failure.Message == "no disk");
        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        await server!.DisposeAsync();
    }

    [Fact]
    public async Task NextEndpoint_that_throws_in_the_first_connect_is_thrown_to_the_caller()
    {
        var options = With(_ => throw new InvalidOperationException("a mistake"));

        var thrown = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ConnectAsync(_endpoint, options: options).InTime());

        Assert.Equal("a mistake", thrown.Message);
    }

    private static MessageHostOptions With(Func<ReconnectAttempt, ValueTask<MessageEndpoint?>> next) => new()
    {
        Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20), NextEndpoint = next },
    };

    private Task<MessageServer> ListenAsync() =>
        MessageHost.ListenAsync(_endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
}
