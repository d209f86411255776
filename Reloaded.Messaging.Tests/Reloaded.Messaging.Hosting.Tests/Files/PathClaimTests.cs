using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

public sealed class PathClaimTests
{
    [Fact]
    public async Task Transfer_after_a_canceled_one_still_waits_for_the_first_one()
    {
        var path = $"path-claim-{Guid.NewGuid()}";
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess(path));
        var (peer, other) = (hosts.Client.Server, await hosts.Server.Connection().InTime());
        using var cancellation = new CancellationTokenSource();
        var first = await PathClaim.TakeAsync(path, peer, default).InTime();
        var canceled = PathClaim.TakeAsync(path, other, cancellation.Token);

        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => canceled.InTime());
        var last = PathClaim.TakeAsync(path, peer, default);

        Assert.False(last.IsCompleted);
        first.Dispose();
        (await last.InTime()).Dispose();
    }
}
