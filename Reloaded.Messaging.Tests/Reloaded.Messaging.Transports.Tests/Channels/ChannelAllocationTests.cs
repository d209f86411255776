using System.Diagnostics;
using System.IO;
using System.Reflection;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

[Quiet]
public sealed class ChannelAllocationTests
{
    private const int RoundTrips = 1000;

    // Less than any object. Without optimization each async call has an object for its state, so there it is 200 bytes for each of four calls,
    // or of ten where a channel is inside of another.
    private static readonly bool s_isOptimized =
        typeof(TransportChannel).Assembly.GetCustomAttribute<DebuggableAttribute>() is not { IsJITOptimizerDisabled: true };

    [Theory]
    [InlineData("InProcess", false)]
    [InlineData("Tcp", false)]
    [InlineData("Unix", false)]
    [InlineData("Udp", false)]
    [InlineData("Udp", true)]
    [InlineData("InProcess", true)]
    public async Task Warm_channel_allocates_almost_nothing(string kind, bool isProtected)
    {
        await using var pair = await ChannelPair.OpenAsync(kind switch
        {
            "InProcess" => MessageEndpoint.InProcess("allocation"),
            "Tcp" => MessageEndpoint.Tcp(0),
            "Udp" => MessageEndpoint.Udp(0),
            _ => SocketFolder.Next(),
        }, ChannelFactory.For(new TransportContext { Protection = isProtected ? ProtectionOptions.WithSecret(new byte[32]) : null }));

        var least = long.MaxValue;
        for (var round = 0; round < 6; round++) // the first warms up; the least counts, since a collection empties caches
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            await Task.Run(() => ExchangeAsync(pair.Client, pair.Server)); // away from the context of tests, which allocates for each await
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        var most = s_isOptimized ? 16 : isProtected ? 2400 : 800;
        Assert.InRange(least, 0, most * RoundTrips);
    }

    private static async Task ExchangeAsync(TransportChannel client, TransportChannel server)
    {
        var (message, buffer) = (new byte[64], new byte[64]);
        message[0] = 63; // one frame
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
