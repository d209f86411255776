using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

/// <summary>Several threads that open the first stream of a host, or send its first file, at the same time.</summary>
public sealed class FirstStreamTests
{
    private const int Threads = 4;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task First_streams_and_files_of_a_host_may_begin_on_several_threads(bool isFile)
    {
        var folder = Directory.CreateTempSubdirectory("reloaded-first-streams-");
        for (var round = 0; round < Extent.Of(30, 200); round++)
        {
            await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"first-streams-{isFile}-{round}"), host =>
            {
                host.OnRequest(static async (Upload _, IAsyncEnumerable<Ping> items, CancellationToken token) =>
                {
                    var count = 0;
                    await foreach (var item in items.WithCancellation(token))
                        count++;
                    return new Uploaded(count, 0);
                });
                host.OnFile((offer, token) => offer.SaveAsync(Path.Combine(folder.FullName, offer.Name), cancellationToken: token));
            });
            using var barrier = new Barrier(Threads);

            await Task.WhenAll(Enumerable.Range(0, Threads).Select(number => Task.Factory.StartNew(
                async () =>
                {
                    barrier.SignalAndWait();
                    if (isFile)
                        await hosts.Client.SendFileAsync(new MemoryStream([1, 2, 3]), $"{round}-{number}");
                    else
                        Assert.Equal(3, (await hosts.Client.RequestAsync(new Upload(""), ThreeAsync())).Items);
                },
                CancellationToken.None,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default).Unwrap())).InTime();
        }

        folder.Delete(recursive: true);
    }

    private static async IAsyncEnumerable<Ping> ThreeAsync()
    {
        for (var i = 0; i < 3; i++)
        {
            await Task.Yield();
            yield return new Ping(i);
        }
    }
}
