using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Streaming;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Handlers;

/// <summary>A message with two filters in its attributes.</summary>
[Message(83), Written]
public readonly record struct Guarded(int Number) : IRequest;

/// <summary>Counts its calls, and refuses negative numbers.</summary>
public sealed class WrittenAttribute : HandlerFilterAttribute
{
    private static int s_calls;

    public static int Calls => Volatile.Read(ref s_calls);

    public override ValueTask InvokeAsync(HandlerCall call)
    {
        Interlocked.Increment(ref s_calls);
        return call.TryGetMessage(out Guarded message) && message.Number < 0 ? throw new RequestFaultException(1003, "negative") : call.NextAsync();
    }
}

public sealed class HandlerFilterTests
{
    private static int s_names;

    private readonly ConcurrentQueue<string> _calls = new();
    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"filters-{Interlocked.Increment(ref s_names)}");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Filters_surround_events_and_requests_in_their_order(bool isAsync)
    {
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server =>
        {
            server.AddFilter(Write("ping only", isAsync), typeof(Ping));
            server.AddFilter(Write("all", isAsync));
            if (isAsync)
            {
                server.On<Note>(async note =>
                {
                    await Task.Yield();
                    _calls.Enqueue(note.Text);
                });
                server.OnRequest(async (Ping ping) =>
                {
                    await Task.Yield();
                    _calls.Enqueue("handler");
                    return new Pong(ping.Number);
                });
            }
            else
            {
                server.On<Note>(note => _calls.Enqueue(note.Text));
                server.OnRequest((in Ping ping, Peer _) =>
                {
                    _calls.Enqueue("handler");
                    return new Pong(ping.Number);
                });
            }
        });

        Assert.Equal(new Pong(3), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(3)).AsTask().InTime());
        hosts.Client.Send(new Note("event"));
        await Signal.UntilAsync(() => _calls.Count == 8);

        Assert.Equal(["all Ping", "ping only Ping", "handler", "ping only ends", "all ends", "all Note", "event", "all ends"], _calls);
    }

    /// <summary>The requester receives no number of a stream whose reply is not sent, so it cannot close the stream.</summary>
    [Theory]
    [InlineData("OnStream", false)]
    [InlineData("OnStream", true)]
    [InlineData("both ways", false)]
    [InlineData("both ways", true)]
    [InlineData("OnFileRequest", false)]
    [InlineData("OnFileRequest", true)]
    public async Task Filter_that_fails_after_the_handler_or_calls_it_again_leaves_no_stream_open(string form, bool callsAgain)
    {
        var opened = 0;
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server =>
        {
            server.AddFilter(async call =>
            {
                await call.NextAsync();
                if (!callsAgain)
                    throw new RequestFaultException(1002, "too late");
                await call.NextAsync();
            });
            if (form == "OnStream")
                server.OnStream<Ping, Pong>((_, _) => OpenAsync());
            else if (form == "both ways")
                server.OnStream<Ping, Note, Pong>((_, _, _) => OpenAsync());
            else
                server.OnFileRequest((_, _) => new MemoryStream(new byte[++opened]));
        });
        var peer = hosts.Client.Server;
        Task calling = form == "OnFileRequest" ? peer.ReceiveFileAsync("bytes", new MemoryStream())
            : (form == "OnStream" ? peer.StreamAsync<Ping, Pong>(default) : peer.StreamAsync(MessageContract.GetDeclared<Ping>(), MessageContract.GetDeclared<Note>(), MessageContract.GetDeclared<Pong>(), default, NoneAsync())).ReadAllAsync();

        if (callsAgain)
            await calling.InTime();
        else
            Assert.Equal(1002, (await Assert.ThrowsAsync<RequestFaultException>(() => calling.InTime())).Code);

        Assert.Equal(callsAgain ? 2 : 1, opened);
        await Signal.UntilAsync(() => hosts.Server.Peers.Single().OpenStreams == 0);

        async IAsyncEnumerable<Pong> ItemsAsync()
        {
            await Task.Yield();
            yield return new Pong(1);
        }

        IAsyncEnumerable<Pong> OpenAsync()
        {
            opened++;
            return ItemsAsync();
        }

        static async IAsyncEnumerable<Note> NoneAsync()
        {
            await Task.Yield();
            yield break;
        }
    }

    [Fact]
    public async Task Attribute_of_a_type_surrounds_its_handler()
    {
        var before = WrittenAttribute.Calls;
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server => server.OnRequest((Guarded guarded) => _calls.Enqueue("handled")));

        await hosts.Client.RequestAsync(new Guarded(1)).AsTask().InTime();
        var refused = await hosts.Client.TryRequestAsync(new Guarded(-1)).AsTask().InTime();

        Assert.Equal((1003, "negative"), (refused.Fault!.Code, refused.Fault.Message));
        Assert.Equal(2, WrittenAttribute.Calls - before);
        Assert.Single(_calls);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Filter_tries_a_failed_handler_again()
    {
        var tries = 0;
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server =>
        {
            server.AddFilter(static async call =>
            {
                for (var last = 2; ; last--)
                {
                    try
                    {
                        await call.NextAsync();
                        return;
                    }
                    catch (TimeoutException) when (last > 0)
                    {
                        await Task.Yield();
                    }
                }
            });
            server.OnRequest<Ping, Pong>((in Ping ping, Peer _) => Interlocked.Increment(ref tries) < 3 ? throw new TimeoutException() : new Pong(ping.Number));
        });

        Assert.Equal(new Pong(1), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        Assert.Equal(3, tries);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Request_that_a_filter_neither_refuses_nor_passes_on_fails_and_an_event_is_dropped()
    {
        var failed = Signal.New<HandlerFailure>();
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server =>
        {
            server.AddFilter(call => call.Message is Ping or Note ? default : call.NextAsync());
            server.On((Note note) => _calls.Enqueue(note.Text));
            server.OnRequest((Ping ping) => new Pong(ping.Number));
            server.HandlerFailed += failure => failed.TrySetResult(failure);
        });

        hosts.Client.Send(new Note("dropped"));
        var result = await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime();

        Assert.Equal(FaultCode.HandlerFailed, result.Fault!.Code);
        Assert.Contains("A filter of Ping returned without a call of NextAsync", (await failed.Task.InTime()).Exception.Message, StringComparison.Ordinal);
        Assert.Empty(_calls);
        Assert.Equal(1, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Canceled_request_cancels_the_token_of_its_filters_and_handler()
    {
        var (begun, canceled) = (Signal.New<bool>(), Signal.New<bool>());
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server =>
        {
            server.AddFilter(async call =>
            {
                var token = call.CancellationToken;
                try
                {
                    await call.NextAsync();
                }
                finally
                {
                    canceled.TrySetResult(token.IsCancellationRequested);
                }
            });
            server.OnRequest(async (Ping ping, Peer _, CancellationToken token) =>
            {
                begun.TrySetResult(true);
                await Task.Delay(Timeout.Infinite, token);
                return new Pong(ping.Number);
            });
        });
        using var source = new CancellationTokenSource();
        var asking = hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMinutes(1), source.Token).AsTask();
        await begun.Task.InTime();

        await source.CancelAsync();

        Assert.Equal(RequestStatus.Canceled, (await asking.InTime()).Status);
        Assert.True(await canceled.Task.InTime());
        await Signal.UntilAsync(() => hosts.Server.Peers.Single().RunningHandlers == 0);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Call_is_not_valid_after_its_filter_has_completed()
    {
        var kept = default(HandlerCall);
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server =>
        {
            server.AddFilter(call =>
            {
                kept = call;
                Assert.Equal(new Ping(5), call.Message);
                Assert.Equal((true, false), (call.TryGetFrom(out Peer? from), call.TryGetFrom(out string? _)));
                Assert.Same(call.Peer, from);
                Assert.False(call.TryGetMessage(out Pong _));
                return call.NextAsync();
            });
            server.OnRequest((Ping ping) => new Pong(ping.Number));
        });

        Assert.Equal(new Pong(5), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(5)).AsTask().InTime());

        await Signal.UntilAsync(() => hosts.Server.Peers.Single().RunningHandlers == 0);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await kept.NextAsync());
        Assert.Throws<InvalidOperationException>(() => kept.Message);
        Assert.Throws<InvalidOperationException>(() => default(HandlerCall).Contract);
    }

    [Fact]
    public async Task Late_reply_of_an_abandoned_handler_is_not_the_reply_of_another_request()
    {
        var (abandoned, second, end) = (Signal.New<bool>(), Signal.New<bool>(), Signal.New<bool>());
        Task<bool>? late = null;
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server =>
        {
            server.AddFilter(async call =>
            {
                if (call.TryGetMessage(out Ping ping) && ping.Number == 1)
                {
                    late = ReplyLaterAsync(call.NextAsync());
                    throw new RequestFaultException(1004, "abandoned");
                }

                second.SetResult(true);
                await end.Task;
            });
            server.OnRequest(async (Ping ping) =>
            {
                await abandoned.Task;
                return new Pong(ping.Number);
            });
        });

        Assert.Equal(1004, (await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime()).Fault!.Code);
        await Signal.UntilAsync(() => hosts.Server.Peers.Single().RunningHandlers == 0);
        var asking = hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(2)).AsTask();
        await second.Task.InTime();
        abandoned.SetResult(true);
        Assert.True(await late!.InTime());
        end.SetResult(true);

        Assert.Equal(FaultCode.HandlerFailed, (await asking.InTime()).Fault?.Code);

        static async Task<bool> ReplyLaterAsync(ValueTask handling)
        {
            await handling;
            return true;
        }
    }

    [Fact]
    public async Task Messages_of_the_library_are_not_filtered()
    {
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server =>
        {
            server.AddFilter(Write("filter", isAsync: false));
            server.AllowInspection();
        });

        Assert.Equal(RequestStatus.Replied, (await hosts.Client.Server.InspectAsync()).Status);
        Assert.Empty(_calls);
    }

    [Fact]
    public async Task Filter_after_a_handler_is_refused_and_a_host_without_filters_calls_handlers_synchronously()
    {
        await using var hosts = await HostPair.ConnectAsync(_endpoint, server =>
        {
            server.OnRequest((Ping ping) => new Pong(ping.Number));
            Assert.Throws<InvalidOperationException>(() => server.AddFilter(static call => call.NextAsync()));
            Assert.Throws<ArgumentNullException>(() => server.AddFilter(null!));
        });

        Assert.False(hosts.Server.Handlers.HasAsyncHandlers);
        Assert.Equal(new Pong(5), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(5)).AsTask().InTime());
    }

    private Func<HandlerCall, ValueTask> Write(string name, bool isAsync) => async call =>
    {
        _calls.Enqueue($"{name} {call.Contract.MessageType.Name}");
        if (isAsync)
            await Task.Yield();
        await call.NextAsync();
        _calls.Enqueue($"{name} ends");
    };
}
