using System.Security.Cryptography;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Connections;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Options;

public sealed class RefusedOptionsTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"refused-options-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public void Token_is_copied_when_it_is_set()
    {
        var token = RandomNumberGenerator.GetBytes(32);
        var before = Convert.ToHexString(token);

        var options = new MessageHostOptions { Token = token };
        CryptographicOperations.ZeroMemory(token);

        Assert.Equal(before, Convert.ToHexString(options.Token.Span));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(15)]
    public async Task Short_token_is_refused_where_other_users_can_connect(int size)
    {
        var options = new MessageHostOptions { Token = new byte[size] };

        var listening = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: options));
        var connecting = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ConnectAsync(MessageEndpoint.Tcp(1), options: options));

        foreach (var refusal in new[] { listening, connecting })
            Assert.Contains("at least 16", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Short_token_is_accepted_where_only_this_user_can_connect()
    {
        var options = new MessageHostOptions { Token = new byte[1] };

        foreach (var endpoint in new[] { _endpoint, SocketFolder.Next(), MessageEndpoint.OfProcess(Environment.ProcessId, "short-token") })
        {
            await using var server = await MessageHost.ListenAsync(endpoint, options: options);
            await using var client = await MessageHost.ConnectAsync(endpoint, options: options).InTime();
        }
    }

    [Fact]
    public async Task OnAuthenticate_after_ListenAsync_throws()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint);

        Assert.Throws<InvalidOperationException>(() => server.OnAuthenticate<Login, Welcome>((_, _, _) => new(new Welcome(""))));
    }
}
