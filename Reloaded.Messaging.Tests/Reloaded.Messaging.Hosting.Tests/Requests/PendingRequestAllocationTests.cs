using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class PendingRequestAllocationTests
{
    private const int InFlight = 100;
    private const int SpareOfThread = 32;

    [Fact]
    public void Objects_of_requests_are_used_again_by_the_threads_that_send_and_await() => Uncollected.Run(static () =>
    {
        var (random, table, seen) = (new Random(1), new RequestTable(InFlight), new HashSet<PendingRequest<Reply>>());
        using var other = new Worker();
        for (var round = 0; round < 200; round++)
        {
            var requests = new PendingRequest<Reply>[random.Next(1, InFlight + 1)];
            Run(() => Begin(table, requests));
            seen.UnionWith(requests);
            Assert.Equal(requests.Length, requests.Distinct().Count());
            Run(() => End(table, requests));
        }

        Assert.InRange(seen.Count, 1, InFlight + (2 * SpareOfThread));

        void Run(Action action)
        {
            if (random.Next(2) == 0)
                action();
            else
                other.Run(action);
        }
    });

    private static void Begin(RequestTable table, PendingRequest<Reply>[] requests)
    {
        var contract = new MessageContract<Reply>(900, new BlittableSerializer<Reply>());
        for (var i = 0; i < requests.Length; i++)
            Assert.True(table.TryBegin(new Owner(), contract, MessageLimits.Default, TimeSpan.FromMinutes(1), default, out requests[i], out _));
    }

    private static void End(RequestTable table, PendingRequest<Reply>[] requests)
    {
        foreach (var request in requests)
        {
            Assert.True(table.TryTake(request.Id, out _));
            var result = request.ResultTask;
            request.EndUnsent(RequestStatus.Full);
            Assert.Equal(RequestStatus.Full, result.GetAwaiter().GetResult().Status);
        }
    }

    /// <summary>The reply of no other test, so that no other test uses the pool.</summary>
    private readonly record struct Reply(int Number);

    private sealed class Owner : IRequestOwner
    {
        public void CancelRequest(PendingRequest request)
        {
        }

        public string? DescribeEnd() => null;

        public void ReportFailure(uint type, Exception exception)
        {
        }
    }

    /// <summary>A thread that runs actions, one at a time.</summary>
    private sealed class Worker : IDisposable
    {
        private readonly SemaphoreSlim _begin = new(0);
        private readonly SemaphoreSlim _end = new(0);
        private readonly Thread _thread;
        private Action? _action;
        private Exception? _failure;

        public Worker()
        {
            _thread = new Thread(() =>
            {
                while (true)
                {
                    _begin.Wait();
                    if (_action is null)
                        return;
                    _failure = Record.Exception(_action);
                    _end.Release();
                }
            });
            _thread.Start();
        }

        public void Run(Action action)
        {
            _action = action;
            _begin.Release();
            _end.Wait();
            Assert.Null(_failure);
        }

        public void Dispose()
        {
            _action = null;
            _begin.Release();
            _thread.Join();
            _begin.Dispose();
            _end.Dispose();
        }
    }
}
