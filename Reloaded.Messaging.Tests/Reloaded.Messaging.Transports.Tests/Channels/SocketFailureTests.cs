using System.IO;
using System.Net.Sockets;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

public sealed class SocketFailureTests
{
    [Theory]
    [InlineData(SocketError.ConnectionRefused, "Is the server running, and are the address and the port right?")]
    [InlineData(SocketError.TooManyOpenSockets, "raise the limit of open files.")]
    [InlineData(SocketError.AccessDenied, "The system forbids the connection.")]
    public void Advice_fits_the_error(SocketError error, string advice)
    {
        var text = SocketFailure.DescribeConnect(new TransportAddress(MessageEndpoint.Tcp(1).Transport, "127.0.0.1", 1), new SocketException((int)error));

        Assert.EndsWith(advice, text, StringComparison.Ordinal);
        Assert.DoesNotContain("as this user", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Missing_socket_is_named_as_such()
    {
        TestSystem.RequireUnixSockets();
        var endpoint = MessageEndpoint.Unix(Path.Combine(Path.GetTempPath(), $"missing-{Guid.NewGuid():N}.sock"));

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => endpoint.ConnectAsync(new TransportContext()).AsTask()).InTime();

        Assert.Contains("there is no socket of this name. Is the server running, as this user?", failure.Message, StringComparison.Ordinal);
    }
}
