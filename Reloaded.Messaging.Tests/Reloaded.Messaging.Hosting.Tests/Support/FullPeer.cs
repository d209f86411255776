using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Fills what lies between a host and a peer that does not read.</summary>
internal static class FullPeer
{
    /// <summary>
    /// Sends until it is full for good, which is when the system's buffers are, too. Full once may mean that a write is about to take it all: each
    /// wait here goes on behind what the thread pool had to do before, and so behind that write.
    /// </summary>
    public static async Task FillAsync(this Peer peer, Note note)
    {
        const int ForGood = 3;
        var end = Environment.TickCount64 + (long)Deadline.Length.TotalMilliseconds;
        for (var full = 0; full < ForGood || peer.Send(note) == SendStatus.Sent;)
        {
            while (peer.Send(note) == SendStatus.Sent)
                continue;
            Assert.True(Environment.TickCount64 < end, "A peer that does not read took everything.");
            var written = peer.FlushAsync();
            full = await Task.WhenAny(written, Task.Delay(250)) == written ? 0 : full + 1;
        }
    }
}
