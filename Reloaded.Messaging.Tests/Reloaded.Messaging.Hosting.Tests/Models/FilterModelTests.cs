using System.Collections.Concurrent;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Handlers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>Handlers with random filters behave as a chain of calls. The model does the same by a recursion.</summary>
public sealed class FilterModelTests
{
    private readonly ConcurrentQueue<string> _calls = new();
    private int _seed;

    private enum FilterAction
    {
        Pass,
        Drop,
        CallTwice,
        Refuse,
        Throw,
        CatchAll,
    }

    [Fact]
    public async Task Handler_with_filters_is_a_chain_of_calls()
    {
        for (_seed = 0; _seed < Extent.Of(10, 60); _seed++)
        {
            var random = new Random(_seed);
            var filters = Enumerable.Range(0, random.Next(6)).Select(id => (Id: id, Type: random.Pick<Type?>([null, typeof(Ping), typeof(Note)]))).ToList();
            var (isRequestAsync, isEventAsync) = (random.Next(2) == 0, random.Next(2) == 0);
            await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"filter-model-{Guid.NewGuid():N}"), server =>
            {
                server.HandlerFailed += static _ => { };
                foreach (var (id, type) in filters)
                    server.AddFilter(call => FilterAsync(id, call), type);
                if (isRequestAsync)
                    server.OnRequest<Ping, Pong>(async (ping, _, _) => await YieldAndHandleAsync(ping.Number));
                else
                    server.OnRequest((Ping ping) => Handle(ping.Number));
                if (isEventAsync)
                    server.On(async (Note note) => _ = await YieldAndHandleAsync(NumberOf(note)));
                else
                    server.On((Note note) => _ = Handle(NumberOf(note)));
                server.OnRequest((Suspend _) => { }); // its filters do nothing
            });
            var peer = hosts.Server.Peers.Single();
            var failures = 0;

            for (var number = 0; number < 30; number++)
            {
                var isRequest = random.Next(2) == 0;
                _calls.Clear();
                var (calls, result) = Expect([.. filters.Where(static one => one.Type is null), .. filters.Where(one => one.Type == (isRequest ? typeof(Ping) : typeof(Note)))], number);
                var isFailure = result is int.MaxValue || (isRequest ? result is null : result > 0);
                failures += isFailure ? 1 : 0;
                if (isRequest)
                {
                    var reply = await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(number)).AsTask().InTime();
                    var code = isFailure ? FaultCode.HandlerFailed : result!.Value;
                    Assert.Equal(code == 0 ? (RequestStatus.Replied, 0, number) : (RequestStatus.Faulted, code, 0), (reply.Status, reply.Fault?.Code ?? 0, reply.Reply.Number));
                }
                else
                {
                    hosts.Client.Send(new Note(number.ToString(CultureInfo.InvariantCulture)));
                    await hosts.Client.RequestAsync(new Suspend(1)).AsTask().InTime(); // the handler of the event has begun
                }

                await Signal.UntilAsync(() => peer.RunningHandlers == 0);
                Assert.True(calls.SequenceEqual(_calls), $"Seed {_seed}, message {number}: {string.Join(' ', _calls)} instead of {string.Join(' ', calls)}");
                Assert.Equal(failures, hosts.Server.GetStatistics().HandlerFailures);
            }
        }
    }

    private static int NumberOf(Note note) => int.Parse(note.Text, CultureInfo.InvariantCulture);

    /// <summary>The model.</summary>
    /// <returns>The calls, and the result: 0 for a reply or a handled event, <c>null</c> for a request without a reply, the code of a refusal, or <see cref="int.MaxValue"/> for another exception.</returns>
    private (List<string> Calls, int? Result) Expect((int Id, Type? Type)[] filters, int number)
    {
        var (calls, isReplied) = (new List<string>(), false);
        var thrown = Call(0);
        return (calls, thrown ?? (isReplied ? 0 : null));

        int? Call(int place)
        {
            if (place == filters.Length)
            {
                calls.Add("handler");
                isReplied |= !Fails(number);
                return Fails(number) ? int.MaxValue : null;
            }

            var id = filters[place].Id;
            calls.Add($"{id} {ActionOf(id, number)}");
            switch (ActionOf(id, number))
            {
                case FilterAction.Drop:
                    return null;
                case FilterAction.Refuse:
                    return 1000 + id;
                case FilterAction.Throw:
                    return int.MaxValue;
                case FilterAction.CallTwice when Call(place + 1) is { } first:
                    return first;
                case FilterAction.CatchAll:
                    _ = Call(place + 1);
                    return null;
                default:
                    return Call(place + 1);
            }
        }
    }

    private static bool Fails(int number) => number % 5 == 0;

    private FilterAction ActionOf(int id, int number) => new Random((_seed * 10_000) + (number * 10) + id).Next(9) is var action and < 6 ? (FilterAction)action : FilterAction.Pass;

    private async ValueTask FilterAsync(int id, HandlerCall call)
    {
        if (call.Contract.MessageType == typeof(Suspend))
        {
            await call.NextAsync();
            return;
        }

        var number = call.TryGetMessage(out Ping ping) ? ping.Number : NumberOf((Note)call.Message);
        var action = ActionOf(id, number);
        _calls.Enqueue($"{id} {action}");
        if ((id + number) % 3 == 0)
            await Task.Yield();
        switch (action)
        {
            case FilterAction.Drop:
                return;
            case FilterAction.Refuse:
                throw new RequestFaultException(1000 + id, "refused");
            case FilterAction.Throw:
                throw new InvalidOperationException("filter");
            case FilterAction.CallTwice:
                await call.NextAsync();
                break;
            case FilterAction.CatchAll:
                try
                {
                    await call.NextAsync();
                }
                catch (Exception e) when (e is RequestFaultException or InvalidOperationException)
                {
                    return;
                }

                return;
        }

        await call.NextAsync();
    }

    private async ValueTask<Pong> YieldAndHandleAsync(int number)
    {
        await Task.Yield();
        return Handle(number);
    }

    private Pong Handle(int number)
    {
        _calls.Enqueue("handler");
        return Fails(number) ? throw new InvalidOperationException("handler") : new Pong(number);
    }
}
