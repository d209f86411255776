using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
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
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Udp(0));

        var stream = Assert.Throws<NotSupportedException>(() => hosts.Client.StreamAsync<Ping, Pong>(default));
        var file = await Assert.ThrowsAsync<NotSupportedException>(() => hosts.Client.ReceiveFileAsync("file", "unused").InTime());

        Assert.All((List<string>)[stream.Message, file.Message], static message => Assert.Contains("Use TCP", message, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Request_for_a_stream_by_another_implementation_is_refused_with_the_alternatives()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Udp(0), static host => host.OnStream(static (Ping _, CancellationToken _) => NoneAsync()));

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.Server.RequestAsync(MessageContract.GetDeclared<Ping>(), StreamContracts.Opened, new Ping(1)).AsTask().InTime());

        Assert.Equal(FaultCode.InvalidRequest, fault.Code);
        Assert.Contains("Use TCP", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Offer_of_a_file_by_another_implementation_is_refused_with_the_alternatives()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Udp(0), static host => host.OnFile(static (offer, token) => offer.SaveAsync(Stream.Null, cancellationToken: token)));

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.Server.RequestAsync(FileContracts.Offered, FileContracts.Received, new FileOffered(1, 10, "file")).AsTask().InTime());

        Assert.Equal(FaultCode.InvalidRequest, fault.Code);
        Assert.Contains("Use TCP", fault.Message, StringComparison.Ordinal);
    }

    private static async IAsyncEnumerable<Pong> NoneAsync()
    {
        await Task.CompletedTask;
        yield break;
    }
}
