using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Handlers;

/// <summary>Failures without a subscriber of HandlerFailed. They are written to the standard error of the process, so nothing else may run.</summary>
[Quiet]
public sealed class UnheardFailureTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task First_failure_without_a_subscriber_is_written_to_the_standard_error(bool isSubscribed)
    {
        var written = new StandardError();
        using (written)
        {
            await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"unheard-{isSubscribed}"), server =>
            {
                server.On((in Ping ping, Peer _) => throw new InvalidOperationException($"failure {ping.Number}"));
                if (isSubscribed)
                    server.HandlerFailed += _ => { };
            });

            hosts.Client.Send(new Ping(1));
            hosts.Client.Send(new Ping(2));
            await Signal.UntilAsync(() => hosts.Server.GetStatistics().HandlerFailures == 2);
        }

        var text = written.ToString();
        Assert.Equal(!isSubscribed, text.Contains("threw System.InvalidOperationException: failure 1 (message: Ping, peer: ", StringComparison.Ordinal));
        Assert.Equal(!isSubscribed, text.Contains("HandlerFailed has no subscriber", StringComparison.Ordinal));
        Assert.DoesNotContain("failure 2", text, StringComparison.Ordinal);
    }
}
