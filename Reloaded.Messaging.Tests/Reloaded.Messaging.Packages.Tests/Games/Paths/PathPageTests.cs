using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Paths;

/// <summary>The code of docs/game-servers.md that needs UDP.</summary>
public sealed class PathPageTests
{
    [Fact]
    public async Task Player_on_a_bad_path_is_connected()
    {
        await using var udp = await MessageHost.ListenAsync(MessageEndpoint.Udp(0));

        var path = new NetworkPath { Delay = TimeSpan.FromMilliseconds(40), Jitter = TimeSpan.FromMilliseconds(10), Loss = 0.02, BytesPerSecond = 100_000 };
        await using var player = await MessageHost.ConnectAsync(udp.Endpoint.WithPath(path));
        path.Loss = 0.1;

        Assert.Equal(ClientState.Connected, player.State);
        Assert.InRange(path.Passed, 2, long.MaxValue);
    }
}
