using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class RequestTableTests
{
    [Fact]
    public void Ids_differ_while_their_requests_live_up_to_the_limit()
    {
        var table = new RequestTable(RequestTable.MaxSlots);

        var ids = Enumerable.Range(0, RequestTable.MaxSlots).Select(_ => Add(table).Id).ToHashSet();

        Assert.Equal(RequestTable.MaxSlots, ids.Count);
        Assert.Equal(RequestTable.MaxSlots, table.Count);
        Assert.Equal(RequestStatus.Full, table.TryAdd(new CountedRequest()));
        Assert.All(ids, id => Assert.True(table.TryTake(id, out _)));
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void A_full_table_has_room_again_after_one_is_taken()
    {
        var table = new RequestTable(2);
        var first = Add(table);
        Add(table);
        Assert.Equal(RequestStatus.Full, table.TryAdd(new CountedRequest()));

        Assert.True(table.TryTake(first.Id, out var taken));

        Assert.Same(first, taken);
        Add(table);
        Assert.Equal(RequestStatus.Full, table.TryAdd(new CountedRequest()));
    }

    [Fact]
    public void An_id_that_was_answered_never_takes_the_next_request_in_its_slot()
    {
        var table = new RequestTable(1);
        var stale = new List<uint>();

        for (var i = 0; i < 1000; i++)
        {
            var request = Add(table);
            Assert.DoesNotContain(request.Id, stale);
            Assert.All(stale.TakeLast(3), id => Assert.False(table.TryTake(id, out _)));
            Assert.True(table.TryTake(request.Id, out _));
            Assert.False(table.TryTake(request.Id, out _));
            stale.Add(request.Id);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(4095)]
    [InlineData(uint.MaxValue)]
    public void An_id_that_was_never_given_takes_nothing(uint id)
    {
        var table = new RequestTable(10);
        Add(table);

        Assert.False(table.TryTake(id, out _));
        Assert.Equal(1, table.Count);
    }

    [Fact]
    public void Ids_stay_good_when_a_slots_uses_start_again()
    {
        var table = new RequestTable(2);
        var other = Add(table);

        var request = new CountedRequest();
        var good = 0;
        for (var i = 0; i < (1 << 20) + 10; i++)
        {
            var isAdded = table.TryAdd(request) == RequestStatus.Replied;
            good += isAdded && request.Id != other.Id && table.TryTake(request.Id, out var taken) && taken == request ? 1 : 0;
        }

        Assert.Equal((1 << 20) + 10, good);
        Assert.True(table.TryTake(other.Id, out _));
    }

    [Fact]
    public void Those_that_waited_long_enough_end_and_the_others_stay()
    {
        var table = new RequestTable(100);
        var requests = Enumerable.Range(0, 50).Select(i => Add(table, deadline: 1000 + (i % 2 * 1000))).ToList();

        var counters = new RequestCounters();
        table.EndOverdue(999, counters);
        Assert.Equal(0, counters.Timeouts);
        table.EndOverdue(1000, counters);
        Assert.Equal(25, counters.Timeouts);
        table.EndOverdue(1999, counters);
        Assert.Equal(25, counters.Timeouts);

        Assert.All(requests, request => Assert.Equal(request.Deadline == 1000 ? RequestStatus.TimedOut : null, request.Status));
        Assert.Equal(25, table.Count);
        Assert.False(table.TryTake(requests[0].Id, out _));
        Assert.True(table.TryTake(requests[1].Id, out _));
    }

    [Fact]
    public void Close_ends_all_once_and_takes_no_more()
    {
        var table = new RequestTable(100);
        var requests = Enumerable.Range(0, 50).Select(i => Add(table, deadline: long.MaxValue - (i % 2))).ToList();

        table.Close();
        table.Close();

        Assert.All(requests, request => Assert.Equal((RequestStatus.Disconnected, 1), (request.Status, request.Ends)));
        Assert.Equal(RequestStatus.NotSent, table.TryAdd(new CountedRequest()));
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public async Task Replies_timeouts_and_the_end_at_once_end_each_request_once()
    {
        for (var round = 0; round < 30; round++)
        {
            var table = new RequestTable(RequestTable.MaxSlots);
            var requests = Enumerable.Range(0, 500).Select(i => Add(table, deadline: i % 3)).ToList();
            var ids = requests.ConvertAll(request => request.Id);
            using var start = new Barrier(4);

            await Task.WhenAll(
                Deadline.RunAside(() => TakeAll(ids)),
                Deadline.RunAside(() => TakeAll(Enumerable.Reverse(ids))),
                Deadline.RunAside(() =>
                {
                    start.SignalAndWait();
                    table.EndOverdue(1, new RequestCounters());
                }),
                Deadline.RunAside(() =>
                {
                    start.SignalAndWait();
                    table.Close();
                })).InTime();

            Assert.All(requests, request => Assert.Equal(1, request.Ends));
            Assert.Equal(0, table.Count);

            void TakeAll(IEnumerable<uint> those)
            {
                start.SignalAndWait();
                foreach (var id in those)
                {
                    if (table.TryTake(id, out var request))
                        request.End(RequestStatus.Replied);
                }
            }
        }
    }

    private static CountedRequest Add(RequestTable table, long deadline = long.MaxValue)
    {
        var request = new CountedRequest { Deadline = deadline };
        Assert.Equal(RequestStatus.Replied, table.TryAdd(request));
        return request;
    }
}
