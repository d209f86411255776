using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class PendingRepliesTests
{
    private static readonly Note s_large = new(new string('x', 10_000));

    [Fact]
    public async Task Large_reply_to_an_honest_program_without_correlation_ids_ends_a_program_that_does_not_read()
    {
        var options = new MessageHostOptions
        {
            Limits = new HostLimits { MaxTotalPendingBytes = 1 << 20 },
            KeepAliveTimeout = TimeSpan.FromHours(1),
        };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0) with { LengthPrefix = LengthPrefix.UInt32BigEndian }, server => server.OnRequest((Ping _) => new Note(new string('y', 400_000))), options);
        var raws = new List<RawPeer>();
        for (var i = 0; i < 4; i++)
            raws.Add(await RawPeer.ConnectAsync(server.Endpoint));
        await Signal.UntilAsync(() => server.Peers.Count == raws.Count);
        foreach (var peer in server.Peers)
            await peer.FillAsync(s_large);

        await using var honest = await MessageHost.ConnectAsync(server.Endpoint, options: options);
        var reply = await honest.RequestAsync<Ping, Note>(new Ping(1)).AsTask().InTime();

        Assert.Equal(400_000, reply.Text.Length);
        Assert.InRange(server.GetCount(DisconnectReason.NotReading), 1, raws.Count);
        Assert.Equal(0, server.GetCount(DisconnectReason.RepliesUnread));
        raws.ForEach(raw => raw.Dispose());
    }
}
