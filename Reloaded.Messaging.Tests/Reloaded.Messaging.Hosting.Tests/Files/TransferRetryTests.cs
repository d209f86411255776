using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

public sealed class TransferRetryTests
{
    [Fact]
    public async Task Transfer_is_not_tried_again_while_its_connection_closes()
    {
        using var isBlocked = new ManualResetEventSlim();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Note _, Peer _) => isBlocked.Wait()));
        var options = new MessageHostOptions { Reconnect = new ReconnectOptions(), Limits = new HostLimits { MaxPendingBytes = 100_000 } };
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: options).InTime();
        await client.Server.FillAsync(new Note(new string('x', 10_000)));
        var closed = client.Server.DisconnectAsync();
        using var cancellation = new CancellationTokenSource();
        var attempts = 0;

        var transfer = Task.Run(() => TransferRetry.RunAsync(
            client,
            server =>
            {
                if (++attempts == 3)
                    cancellation.Cancel();
                cancellation.Token.ThrowIfCancellationRequested();
                throw new RequestFailedException(RequestStatus.NotSent);
            },
            cancellation.Token));
        await Signal.UntilAsync(() => Volatile.Read(ref attempts) > 0);
        await Task.Delay(50);

        Assert.Equal(1, Volatile.Read(ref attempts));
        isBlocked.Set();
        await closed.InTime();
        await client.DisposeAsync().AsTask().InTime();
        await Assert.ThrowsAsync<TransportClosedException>(() => transfer.InTime());
    }
}
