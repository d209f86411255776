using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Requests;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>The structures of requests behave as naive ones.</summary>
public sealed class RequestModelTests
{
    /// <summary>The model: the requests by their ids. The uses of the slots begin near their end, so that ids start again.</summary>
    [Fact]
    public void RequestTable_is_a_dictionary_with_a_limit()
    {
        ModelRun.Compare(60, 2000, static random =>
        {
            var limit = random.Pick([1, 2, 3, 5, 64, RequestTable.MaxSlots]);
            var (table, counters) = (new RequestTable(limit), new RequestCounters());
            var (model, ended) = (new Dictionary<uint, CountedRequest>(), new List<(CountedRequest Request, RequestStatus? Status)>());
            Task? room = null;
            var (now, isClosed, timeouts) = (1000L, false, 0L);
            for (var i = 0; i < Math.Min(limit, 8); i++)
                Assert.Equal(RequestStatus.Replied, table.TryAdd(new CountedRequest { Deadline = long.MaxValue - 1 }));
            table.EndAll();
            foreach (ref var slot in Slots(table).AsSpan())
                slot.Uses = (1u << 20) - 3;
            return () =>
            {
                var text = Step();
                Assert.Equal(model.Count, table.Count);
                Assert.InRange(Slots(table).Length, 0, Math.Max(4, 2 * limit)); // free slots are used again
                if (model.Count < limit || isClosed)
                    Assert.True(table.WaitForRoomAsync().IsCompleted);
                Assert.Equal(model.Values.All(static one => one.Deadline == long.MaxValue), !table.HasDeadline || model.Count == 0);
                foreach (var (request, status) in ended.TakeLast(5))
                    Assert.Equal((status is null ? 0 : 1, status), (request.Ends, request.Status));
                return text;
            };

            string Step()
            {
                switch (random.Next(isClosed ? 4 : 40))
                {
                    case 0:
                        table.EndAll();
                        End(static _ => true, RequestStatus.Disconnected);
                        return "EndAll";
                    case 1 when random.Next(10) == 0:
                        table.Close();
                        isClosed = true;
                        End(static _ => true, RequestStatus.Disconnected);
                        Assert.True(room?.IsCompleted ?? true);
                        return "Close";
                    case 2 or 3 or 4 or 5 or 6:
                        now += random.NextUpTo(20);
                        table.EndOverdue(now, counters);
                        timeouts += model.Values.Count(one => one.Deadline <= now);
                        End(one => one.Deadline <= now, RequestStatus.TimedOut);
                        Assert.Equal(timeouts, counters.Timeouts);
                        return $"EndOverdue {now}";
                    case 7 when !isClosed && model.Count == limit:
                        room = table.WaitForRoomAsync();
                        Assert.False(room.IsCompleted);
                        return "Wait";
                    case < 20 when model.Count > 0:
                        return Take(random.Pick(model.Keys));
                    case < 23:
                        return Take(unchecked((uint)random.Pick([0L, 1, 4095, 4096, uint.MaxValue, random.NextInt64(1L << 32), model.Keys.FirstOrDefault() + 4096L, model.Keys.FirstOrDefault() - 4096L])));
                    default:
                        var request = new CountedRequest { Deadline = now + random.NextUpTo(20) };
                        var status = table.TryAdd(request);
                        Assert.Equal(isClosed ? RequestStatus.NotSent : model.Count == limit ? RequestStatus.Full : RequestStatus.Replied, status);
                        if (status == RequestStatus.Replied)
                            model.Add(request.Id, request); // throws if the id is in use
                        return $"Add {request.Id}: {status}";
                }
            }

            string Take(uint id)
            {
                var isThere = model.Remove(id, out var expected);
                Assert.Equal(isThere, table.TryTake(id, out var taken));
                Assert.Same(expected, taken);
                if (expected is not null)
                    ended.Add((expected, null));
                Assert.True(!isThere || room is null || room.IsCompleted);
                return $"Take {id}: {isThere}";
            }

            void End(Func<CountedRequest, bool> isDue, RequestStatus status)
            {
                foreach (var (id, request) in model.Where(one => isDue(one.Value)).ToList())
                {
                    model.Remove(id);
                    ended.Add((request, status));
                    Assert.Equal((1, status), (request.Ends, request.Status));
                }
            }
        });

        [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_slots")]
        static extern ref RequestTable.Slot[] Slots(RequestTable table);
    }

    /// <summary>The model: a list of the running requests in the order of their start, and the ids that wait.</summary>
    [Fact]
    public void InFlightRequests_cancel_the_latest_of_an_id()
    {
        ModelRun.Compare(30, 500, static random =>
        {
            var requests = new InFlightRequests(new HostEvents(), peer: null);
            var (waiting, running) = (new Dictionary<uint, bool>(), new List<(InFlightRequests.Answer Answer, bool IsTracked)>());
            var canceled = new HashSet<InFlightRequests.Answer>();
            var isClosed = false;
            return () =>
            {
                var id = random.Pick<uint>([0, 1, 2, 3, uint.MaxValue]);
                var text = Step(id);
                foreach (var (answer, _) in running)
                    Assert.True(SpinWait.SpinUntil(() => canceled.Contains(answer) == answer.IsCancellationRequested, Deadline.Length)); // on some runtimes, another thread cancels
                return text;
            };

            string Step(uint id)
            {
                switch (random.Next(20))
                {
                    case 0 when random.Next(20) == 0:
                        requests.Close();
                        isClosed = true;
                        waiting.Clear();
                        canceled.UnionWith(running.Where(static one => one.IsTracked).Select(static one => one.Answer));
                        return "Close";
                    case < 4:
                        requests.Enqueue(id);
                        if (!isClosed)
                            waiting.TryAdd(id, false);
                        return $"Enqueue {id}";
                    case < 6:
                        requests.NotePumped(id);
                        waiting.Remove(id);
                        return $"NotePumped {id}";
                    case < 10:
                        requests.Cancel(id);
                        if (running.FindLast(one => one.IsTracked && one.Answer.CorrelationId == id).Answer is { } latest)
                            canceled.Add(latest);
                        else if (waiting.ContainsKey(id))
                            waiting[id] = true;
                        return $"Cancel {id}";
                    case < 14 when running.Count > 0:
                        var ended = running[random.Next(running.Count)];
                        requests.End(ended.Answer);
                        running.Remove(ended);
                        return $"End {ended.Answer.CorrelationId}";
                    default:
                        var answer = requests.Begin(id);
                        var isCanceled = (waiting.Remove(id, out var isTakenBack) && isTakenBack) || isClosed;
                        running.Add((answer, !isCanceled));
                        if (isCanceled)
                            canceled.Add(answer);
                        return $"Begin {id}";
                }
            }
        });
    }

    /// <summary>The model: the open places in their order. Each one is sent once to a peer, in order, or is given up.</summary>
    [Fact]
    public async Task ResendQueue_sends_in_the_order_of_the_places()
    {
        for (var seed = 0; seed < 40; seed++)
        {
            var random = new Random(seed);
            var limit = random.Pick([1, 2, 7, 64]);
            var queue = new ResendQueue<object>(limit, static _ => true);
            var (open, sent) = (new List<long>(), new List<long>());
            for (var i = 0; i < limit + 1; i++)
            {
                Assert.Equal(i < limit, queue.TryEnter(out var place));
                if (i < limit)
                    open.Add(place);
            }

            using var canceling = new CancellationTokenSource();
            var canceled = open.Where(_ => random.Next(4) == 0).ToHashSet();
            var waits = open.OrderBy(_ => random.Next()).ToDictionary(static place => place, place => SendAsync(place, canceled.Contains(place) ? canceling.Token : default));
            await canceling.CancelAsync();
            foreach (var place in canceled)
                await waits[place].InTime();
            var peer = new object();
            await queue.OpenAsync(peer, default).InTime();
            await Task.WhenAll(waits.Values).InTime();

            Assert.Equal(open.Except(canceled), sent);
            Assert.True(queue.TryEnter(out var later));
            Assert.Same(peer, (await queue.WaitForSlotAsync(later, null, TimeSpan.FromMinutes(1), default).AsTask().InTime()).Peer);
            queue.Leave();
            queue.Close();
            Assert.True((await queue.WaitForSlotAsync(later + 1, null, TimeSpan.FromMinutes(1), default)).IsLast);

            async Task SendAsync(long place, CancellationToken token)
            {
                var slot = await queue.WaitForSlotAsync(place, null, TimeSpan.FromMinutes(1), token);
                if (slot.Peer is not null)
                    sent.Add(place);
                queue.Leave();
                slot.End();
            }
        }
    }
}
