using System.Diagnostics;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.PeerProcess;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

public sealed class SharedMemoryHostTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.SharedMemory($"hosts-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public async Task Token_requests_events_and_broadcasts_work_as_over_a_socket()
    {
        var options = new MessageHostOptions { Token = new byte[32] };
        var heard = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var server = await MessageHost.ListenAsync(_endpoint, static server => server.OnRequest(static (Question question) => new Answer(question.Number + 1, 0)), options);
        await using var client = await MessageHost.ConnectAsync(_endpoint, client => client.On((in Question question, Peer _) => heard.TrySetResult(question.Number)), options);

        for (var i = 0; i < 1000; i++)
            Assert.Equal(i + 1, (await client.RequestAsync<Question, Answer>(new Question(i))).Number);
        server.Broadcast(new Question(7));

        Assert.Equal(7, await heard.Task.InTime());
        await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { Token = "another token of this length...."u8.ToArray() }));
    }

    [Fact]
    public async Task A_server_that_is_published_is_found_by_its_process()
    {
        var name = _endpoint.Address;
        await using var server = await MessageHost.ListenAsync(
            _endpoint,
            static server => server.OnRequest(static (Question question) => new Answer(question.Number, 0)),
            new MessageHostOptions { PublishedName = name });
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(Environment.ProcessId, name));

        Assert.Equal(5, (await client.RequestAsync<Question, Answer>(new Question(5))).Number);
        Assert.StartsWith("shm://", client.Server.RemoteName, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_position_out_of_range_ends_the_connection_and_is_counted()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint);
        using var peer = await ScribblingPeer.ConnectAsync(_endpoint);

        peer.SetTail(int.MaxValue);

        await peer.WaitForEndAsync();
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.Tampered) == 1);
    }

    [Fact]
    public async Task A_peer_that_scribbles_over_its_map_harms_nobody_else()
    {
        var time = TimeSpan.FromSeconds(Extent.Of(1, 1, 10, 60));
        await using var server = await MessageHost.ListenAsync(_endpoint, static server => server.OnRequest(static (Question question) => new Answer(question.Number, 0)));
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var random = new Random(20);
        var connections = 0;
        for (var watch = Stopwatch.StartNew(); watch.Elapsed < time || connections < 20; connections++)
        {
            using (var peer = await ScribblingPeer.ConnectAsync(_endpoint))
                peer.Scribble(random, writes: random.Next(2000));
            Assert.Equal(connections, (await client.RequestAsync<Question, Answer>(new Question(connections))).Number);
        }

        Assert.True(server.GetCount(DisconnectReason.Tampered) > 0);
        await Signal.UntilAsync(() => server.Peers.Count == 1);
        Assert.True(client.Server.IsConnected);
    }

    [Fact]
    public void A_map_of_a_dead_process_is_removed_and_one_of_a_live_process_is_not()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Maps have no files on Windows.");
        var dead = Path.Combine(MapFolder.Get(), $"peer-dead-{Environment.ProcessId}{MapFile.Extension}");
        File.WriteAllBytes(dead, new byte[10]);
        using var live = MapFile.Create($"peer-live-{Environment.ProcessId}", 4096);

        MapFolder.RemoveDead();

        Assert.False(File.Exists(dead));
        using (MapFile.Open($"peer-live-{Environment.ProcessId}", 4096))
        {
            live.Dispose();
            Assert.DoesNotContain(Directory.GetFiles(MapFolder.Get()), path => path.Contains($"peer-live-{Environment.ProcessId}", StringComparison.Ordinal));
        }
    }

    [Fact]
    public async Task The_map_of_a_connection_has_no_file()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Maps have no files on Windows.");
        await using var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        // Connections of other tests come and go; each file goes at once.
        var files = Directory.GetFiles(MapFolder.Get(), "peer-*").ToHashSet();
        await Signal.UntilAsync(() => !files.Any(File.Exists));
        Assert.True(client.Server.IsConnected);
    }
}
