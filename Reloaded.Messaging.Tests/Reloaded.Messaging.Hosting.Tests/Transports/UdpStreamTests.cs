using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

public sealed class UdpStreamTests
{
    [Fact]
    public async Task Streams_and_files_are_refused_with_the_alternatives()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        var stream = Assert.Throws<NotSupportedException>(() => client.StreamAsync<Ping, Pong>(default));
        var file = await Assert.ThrowsAsync<NotSupportedException>(() => client.ReceiveFileAsync("file", "unused").InTime());

        Assert.All((List<string>)[stream.Message, file.Message], static message => Assert.Contains("Use TCP", message, StringComparison.Ordinal));
    }
}
