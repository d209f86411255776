using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Streaming;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

public sealed class UdpStreamTests : StreamContractTests
{
    [Fact]
    public async Task Item_larger_than_a_datagram_arrives()
    {
        var text = new string('x', 200_000);
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnStream((Ping _, CancellationToken _) => NoteAsync()));

        Assert.Equal(text, Assert.Single(await hosts.Client.StreamAsync<Ping, Note>(default).ReadAllAsync().InTime()).Text);

        async IAsyncEnumerable<Note> NoteAsync()
        {
            await Task.Yield();
            yield return new Note(text);
        }
    }

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Udp(0);
}

public sealed class UdpRequestItemsTests : RequestItemsTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Udp(0);
}

public sealed class UdpRequestProgressTests : RequestProgressTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Udp(0);
}
