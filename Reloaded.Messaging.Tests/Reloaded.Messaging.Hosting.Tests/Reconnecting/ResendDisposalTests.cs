using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

public sealed class ResendDisposalTests
{
    private static readonly Note s_large = new(new string('x', 50_000));

    [Fact]
    public async Task DisposeAsync_ends_while_requests_wait_for_a_server_that_does_not_read()
    {
        using var entered = new ManualResetEventSlim();
        using var never = new ManualResetEventSlim();
        var made = Signal.New<MessageEndpoint?>();
        var first = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        await using var second = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Note _) =>
        {
            entered.Set();
            never.Wait(); // it pings, since that is on a timer, and reads nothing more
            return new Pong(1);
        }));
        var client = await MessageHost.ConnectAsync(first.Endpoint, options: new MessageHostOptions
        {
            Limits = new HostLimits { MaxPendingBytes = 100_000 },
            Reconnect = new ReconnectOptions
            {
                FirstDelay = TimeSpan.FromMilliseconds(1),
                MaxDelay = TimeSpan.FromMilliseconds(20),
                ResendsRequests = true,
                NextEndpoint = async _ => await made.Task,
            },
        });
        var gone = client.Disconnection();
        await first.DisposeAsync();
        await gone.InTime();
        var requests = Enumerable.Range(0, 400).Select(_ => client.TryRequestAsync<Note, Pong>(s_large, TimeSpan.FromHours(1)).AsTask()).ToArray();
        made.SetResult(second.Endpoint);

        try
        {
            await Deadline.RunAside(entered.WaitInTime);
            await client.DisposeAsync().AsTask().InTime();

            var results = await Task.WhenAll(requests).InTime();
            Assert.Subset(new HashSet<RequestStatus> { RequestStatus.NotSent, RequestStatus.Disconnected }, results.Select(result => result.Status).ToHashSet());
            Assert.Equal(RequestStatus.NotSent, results[^1].Status);
        }
        finally
        {
            never.Set();
        }
    }
}
