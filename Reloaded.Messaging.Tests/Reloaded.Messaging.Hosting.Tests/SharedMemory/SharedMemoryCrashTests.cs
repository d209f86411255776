using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.PeerProcess.SharedMemory;
using Reloaded.Messaging.Tests.Reconnecting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

/// <summary>Processes that are killed while their rings are full of messages. Each has four connections.</summary>
public sealed class SharedMemoryCrashTests
{
    private static readonly int s_kills = Extent.Of(2, 8, 50, 500);
    private static int s_names;

    private readonly string _name = $"crash-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";
    private readonly Random _random = new(20);

    [Fact]
    public async Task Killing_the_server_loses_no_acknowledged_request_and_hangs_no_client()
    {
        var path = Path.GetTempFileName();
        for (var kill = 0; kill < s_kills; kill++)
        {
            File.Delete(path);
            using var server = await GameProcess.StartAsync(_name, SharedMemoryPeer.ServerVerb, path);
            var lines = await Task.WhenAll(Enumerable.Range(0, Journal.Lines).Select(_ => MessageHost.ConnectAsync(SharedMemoryPeer.EndpointOf(_name))));
            var acknowledged = new long[Journal.Lines];
            var asking = lines.Select((client, line) => Task.Run(() => AskUntilItEndsAsync(client, line, acknowledged))).ToArray();
            await Signal.UntilAsync(() => Array.TrueForAll(acknowledged, static number => number > 0) || Array.Exists(asking, static one => one.IsCompleted));
            Spin(_random.Next(20_000));

            await server.KillAsync();

            await Task.WhenAll(asking).InTime();
            using var journal = new Journal(path);
            for (var line = 0; line < Journal.Lines; line++)
            {
                Assert.InRange(journal[line], acknowledged[line], acknowledged[line] + 1);
                await lines[line].DisposeAsync();
            }
        }

        File.Delete(path);
        await AssertNoFileStaysAsync();
    }

    [Fact]
    public async Task Killing_the_client_leaves_nothing_torn_and_hangs_no_server()
    {
        var last = new ConcurrentDictionary<long, long>();
        var (torn, ended) = (0, 0);
        await using var server = await MessageHost.ListenAsync(SharedMemoryPeer.EndpointOf(_name), server =>
        {
            server.PeerDisconnected += (_, _) => Interlocked.Increment(ref ended);
            server.OnRequest((in Store store, Peer peer) =>
            {
                var expected = last.AddOrUpdate(peer.Id, 1, static (_, number) => number + 1);
                if (!store.IsWhole() || store.Number != expected)
                    Interlocked.Increment(ref torn);
                return new Stored(store.Number);
            });
        });
        for (var kill = 1; kill <= s_kills; kill++)
        {
            using var client = await GameProcess.StartAsync(_name, SharedMemoryPeer.ClientVerb);
            await Signal.UntilAsync(() => last.Count == kill * Journal.Lines);
            Spin(_random.Next(20_000));

            await client.KillAsync();

            await Signal.UntilAsync(() => Volatile.Read(ref ended) == kill * Journal.Lines);
            Assert.Empty(server.Peers);
        }

        Assert.Equal(0, torn);
        await AssertNoFileStaysAsync();
    }

    private static async Task AskUntilItEndsAsync(MessageClient client, int line, long[] acknowledged)
    {
        for (long number = 1; ; number++)
        {
            var result = await client.TryRequestAsync<Store, Stored>(Store.Of(line, number), TimeSpan.FromMinutes(1));
            if (result.Status != RequestStatus.Replied)
            {
                Assert.True(result.Status is RequestStatus.Disconnected or RequestStatus.NotSent, $"The request ended as {result.Status}.");
                return;
            }

            Assert.Equal(number, result.GetReply().Number);
            Volatile.Write(ref acknowledged[line], number);
        }
    }

    /// <summary>Lets a random part of the work go on before the kill.</summary>
    private static void Spin(int count)
    {
        for (var i = 0; i < count; i++)
            Thread.SpinWait(10);
    }

    private static async Task AssertNoFileStaysAsync()
    {
        if (OperatingSystem.IsWindows())
            return;
        MapFolder.RemoveDead(); // as the next server does: one that was killed between the creation and the mapping leaves its file
        var files = Directory.GetFiles(MapFolder.Get(), "peer-*").ToHashSet();
        await Signal.UntilAsync(() => !files.Any(File.Exists)); // other tests have theirs for a moment
    }
}
