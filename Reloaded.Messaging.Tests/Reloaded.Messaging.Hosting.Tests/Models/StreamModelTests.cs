using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>The streams of a host behave as a list of open streams.</summary>
public sealed class StreamModelTests
{
    private const int MaxStreams = 3;

    /// <summary>The model: the open streams and the transfers, each with its peer. Those that the peer has opened are limited.</summary>
    [Fact]
    public async Task StreamTable_is_a_list_of_open_streams_with_a_limit_for_each_peer()
    {
        var endpoint = MessageEndpoint.InProcess($"streams-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint, options: new MessageHostOptions { Limits = new HostLimits { MaxStreams = MaxStreams } });
        await using var first = await MessageHost.ConnectAsync(endpoint);
        await using var second = await MessageHost.ConnectAsync(endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 2);
        var (table, peers, last) = (StreamTable.Of(server), server.Peers.ToArray(), 0u);
        Assert.Same(table, StreamTable.Of(server));
        var (open, transfers) = (new List<(OutgoingStream Stream, bool IsLimited)>(), new List<Peer>());
        ModelRun.Compare(50, 300, random =>
        {
            open.ForEach(static one => one.Stream.Dispose());
            open.Clear();
            transfers.ForEach(table.Leave);
            transfers.Clear();
            return () =>
            {
                var peer = random.Pick(peers);
                var isFull = CountOf(peer) == MaxStreams;
                string text;
                switch (random.Next(8))
                {
                    case 0 or 1:
                        var opened = new TestStream(peer);
                        text = Enter("AddOpened", isFull, () => table.AddOpened(opened));
                        if (!isFull)
                            Added(opened, isLimited: true);
                        break;
                    case 2:
                        var added = new TestStream(peer);
                        table.Add(added);
                        Added(added, isLimited: false);
                        text = "Add";
                        break;
                    case 3:
                        text = Enter("Enter", isFull, () => table.Enter(peer));
                        if (!isFull)
                            transfers.Add(peer);
                        break;
                    case 4 when transfers.Remove(peer):
                        table.Leave(peer);
                        text = "Leave";
                        break;
                    case > 4 when open.Count > 0:
                        var ended = random.Pick(open);
                        ended.Stream.Dispose();
                        ended.Stream.Dispose();
                        open.Remove(ended);
                        text = $"Dispose {ended.Stream.Number}";
                        break;
                    default:
                        text = "nothing";
                        break;
                }

                var asked = (uint)random.NextUpTo((int)last);
                Assert.All(peers, one => Assert.Same(open.Find(stream => stream.Stream.Number == asked && stream.Stream.Peer == one).Stream, table.Find(asked, one)));
                Assert.All(open, one => Assert.Same(one.Stream, table.Find(one.Stream.Number, one.Stream.Peer)));
                Assert.All(peers, one => Assert.Equal(open.Count(stream => stream.Stream.Peer == one), one.OpenStreams));
                return text;
            };

            int CountOf(Peer peer) => transfers.Count(one => one == peer) + open.Count(one => one.IsLimited && one.Stream.Peer == peer);

            void Added(OutgoingStream stream, bool isLimited)
            {
                Assert.Equal(++last, stream.Number);
                open.Add((stream, isLimited));
            }
        });

        await first.DisposeAsync();
        await second.DisposeAsync();
        await Signal.UntilAsync(() => peers.All(static peer => peer.OpenStreams == 0));
        Assert.All(open, one => Assert.Null(table.Find(one.Stream.Number, one.Stream.Peer)));
        var late = new TestStream(peers[0]);
        table.Add(late);
        Assert.Equal((null, 0), (table.Find(late.Number, late.Peer), late.Peer.OpenStreams)); // its peer has ended
    }

    private static string Enter(string text, bool isFull, Action enter)
    {
        if (!isFull)
            enter();
        else
            Assert.Equal((int)FaultCode.TooManyStreams, Assert.Throws<RequestFaultException>(enter).Code);
        return isFull ? $"{text} beyond the limit" : text;
    }

    private sealed class TestStream(Peer peer) : OutgoingStream(peer, isSecret: false)
    {
        protected override ValueTask<StreamBlock> TakeAsync(int maxBytes) => new(StreamBlock.End);

        protected override void OnClosed()
        {
            // Nothing waits.
        }
    }
}
