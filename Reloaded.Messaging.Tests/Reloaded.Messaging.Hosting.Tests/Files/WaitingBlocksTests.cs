using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

public sealed class WaitingBlocksTests
{
    private const int Files = 16;

    [Fact]
    public async Task Files_are_not_read_while_their_peer_does_not_read()
    {
        var reads = 0;
        using var goesOn = new ManualResetEventSlim();
        var handled = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), host =>
        {
            host.OnFileRequest((_, _) => new CountedStream(() => Interlocked.Increment(ref reads)));
            host.On((in Ping _, Peer _) => handled.TrySetResult(true));
        }, client => client.On((in Note _, Peer _) => goesOn.WaitInTime()));
        var peer = await hosts.Server.Connection().InTime();
        var offers = await Task.WhenAll(Enumerable.Range(0, Files).Select(_ => hosts.Client.Server.RequestAsync(FileContracts.Wanted, FileContracts.Found, new FileWanted("file")).AsTask())).InTime();
        await Task.Run(() => peer.FillAsync(new Note(new string('x', 50_000))));

        var pulls = offers.Select(offer => hosts.Client.Server.RequestAsync(StreamContracts.Pull, StreamContracts.GetBlock(isSecret: false), new StreamPull(offer.Number, 100_000)).AsTask()).ToArray();
        hosts.Client.Send(new Ping(1));
        await handled.Task.InTime();
        await Task.WhenAny(Signal.UntilAsync(() => Volatile.Read(ref reads) > 0), Task.Delay(100)); // a host that reads ahead does so within this time
        Assert.Equal(0, Volatile.Read(ref reads));
        goesOn.Set();

        Assert.All(await Task.WhenAll(pulls).InTime(), block => Assert.Equal(100_000, block.Length));
        Assert.Equal(Files, reads);
    }

    private sealed class CountedStream(Action read) : MemoryStream(new byte[200_000])
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            read();
            return base.ReadAsync(buffer, cancellationToken);
        }
    }
}
