using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.Channels;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

[Collection(QuietCollection.Name)]
public sealed class ChannelAllocationTests
{
    private const int RoundTrips = 1000;

    // Less than any object. Without optimization each async call has an object for its state, so there it is 200 bytes for each of four calls.
    private static readonly long s_mostBytesARoundTrip =
        typeof(MessageChannel).Assembly.GetCustomAttribute<DebuggableAttribute>() is { IsJITOptimizerDisabled: true } ? 800 : 16;

    [Theory]
    [InlineData(EndpointKind.InProcess)]
    [InlineData(EndpointKind.Tcp)]
    [InlineData(EndpointKind.Unix)]
    public async Task A_warm_channel_allocates_next_to_nothing(EndpointKind kind)
    {
        await using var pair = await ChannelPair.OpenAsync(kind switch
        {
            EndpointKind.InProcess => Endpoint.InProcess("allocation"),
            EndpointKind.Tcp => Endpoint.Tcp(0),
            _ => Endpoint.Unix(Path.Combine(Path.GetTempPath(), Path.GetRandomFileName())),
        });

        var least = long.MaxValue;
        for (var round = 0; round < 6; round++) // the first warms up; the least counts, since a collection empties caches
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            await Task.Run(() => ExchangeAsync(pair.Client, pair.Server)); // away from the context of tests, which allocates for each await
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        Assert.InRange(least, 0, s_mostBytesARoundTrip * RoundTrips);
    }

    private static async Task ExchangeAsync(MessageChannel client, MessageChannel server)
    {
        var (message, buffer) = (new byte[64], new byte[64]);
        for (var i = 0; i < RoundTrips; i++)
        {
            var receiving = server.ReceiveAsync(buffer, default); // it waits: the slower way
            await client.SendAsync(message, default);
            await receiving;
            await server.SendAsync(message, default);
            await client.ReceiveAsync(buffer, default);
        }
    }
}
