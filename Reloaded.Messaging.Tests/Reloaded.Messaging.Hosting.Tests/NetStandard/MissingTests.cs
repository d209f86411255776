using System.IO.Pipes;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>What this target has not: that it says so, what for, and what to do.</summary>
public sealed class MissingTests
{
    [Fact]
    public async Task A_server_over_UDP_is_refused()
    {
        var refusal = await Assert.ThrowsAsync<PlatformNotSupportedException>(() => MessageHost.ListenAsync(MessageEndpoint.Udp(0)));

        AssertSays(refusal, "udp://127.0.0.1:0", "netstandard2.1", "MessageEndpoint.Tcp", ".NET 8");
    }

    [Fact]
    public async Task A_server_over_UDP_that_others_could_reach_is_refused_for_that_first()
    {
        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.Udp("0.0.0.0", 0)));

        Assert.Contains("MessageHostOptions.Protection", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_over_UDP_is_refused_and_is_not_tried_again()
    {
        var options = new MessageHostOptions { Reconnect = new ReconnectOptions() };

        var refusal = await Assert.ThrowsAsync<PlatformNotSupportedException>(() => MessageHost.ConnectAsync(MessageEndpoint.Udp(1), options: options));

        AssertSays(refusal, "udp://127.0.0.1:1", "netstandard2.1", "MessageEndpoint.Tcp", ".NET 8");
    }

    [Fact]
    public void A_pipe_that_crosses_elevation_is_refused()
    {
        AssertSays(Assert.Throws<PlatformNotSupportedException>(() => PipeElevation.MakeServer("p", PipeOptions.None)), "allowElevationMismatch", "netstandard2.1", "MessageEndpoint.Tcp");
        using var pipe = new NamedPipeClientStream("p");
        AssertSays(Assert.Throws<PlatformNotSupportedException>(() => PipeElevation.IsTrusted(pipe)), "allowElevationMismatch", "netstandard2.1", "MessageEndpoint.Tcp");
    }

    private static void AssertSays(PlatformNotSupportedException refusal, params string[] parts)
    {
        foreach (var part in parts)
            Assert.Contains(part, refusal.Message, StringComparison.Ordinal);
    }
}
