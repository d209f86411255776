using System.IO;
using System.IO.Pipes;
using System.Runtime.Versioning;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

[UnsupportedOSPlatform("windows")] // where pipes have no files
public sealed class PipeTests : IDisposable
{
    private readonly PipeNames _names = new();

    public void Dispose() => _names.Dispose();

    [Fact]
    public void Pipe_is_in_the_folder_of_the_user()
    {
        TestSystem.RequireFileModes();
        var endpoint = MessageEndpoint.Pipe("my-mod");

        Assert.Equal(("pipe", Path.Combine(UserFolder.Get(), "my-mod.pipe")), (endpoint.Transport.Scheme, endpoint.Address));
        Assert.Equal($"pipe://{endpoint.Address}", endpoint.ToString());
        Assert.ThrowsAny<ArgumentException>(() => MessageEndpoint.Pipe("a/b"));
    }

    [Fact]
    public async Task NamedPipeClientStream_connects_to_a_pipe_endpoint()
    {
        await using var listener = await _names.Next().ListenAsync(new TransportContext());
        var accepting = listener.AcceptAsync(default).AsTask();
        await using var client = new NamedPipeClientStream(".", listener.Endpoint.Address, PipeDirection.InOut, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);

        await client.ConnectAsync().InTime();
        await client.WriteAsync(new byte[] { 1, 2, 3 });

        var server = (await accepting.InTime())!;
        Assert.Equal([1, 2, 3], await Traffic.ReceiveInPiecesAsync(server, 3, seed: 1));
        server.Abort();
    }

    [Fact]
    public async Task Pipe_endpoint_connects_to_a_NamedPipeServerStream()
    {
        var endpoint = _names.Next();
        await using var server = new NamedPipeServerStream(endpoint.Address, PipeDirection.InOut, 1, PipeTransmissionMode.Byte, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);
        var accepting = server.WaitForConnectionAsync();

        var client = await endpoint.ConnectAsync(new TransportContext());
        await accepting.InTime();
        var writing = server.WriteAsync(new byte[] { 1, 2, 3 }).AsTask(); // not awaited: this pipe has no buffer, so a write on Windows ends when the bytes are read

        Assert.Equal([1, 2, 3], await Traffic.ReceiveInPiecesAsync(client, 3, seed: 1));
        await writing.InTime();
        client.Abort();
    }

    [Fact]
    public async Task Pipe_of_a_live_server_is_not_taken_over()
    {
        TestSystem.RequireFirstPipeInstance();
        await using var first = await _names.Next().ListenAsync(new TransportContext());

        for (var i = 0; i < 3; i++)
            await Assert.ThrowsAsync<InvalidOperationException>(() => first.Endpoint.ListenAsync(new TransportContext()).AsTask());

        if (!OperatingSystem.IsWindows()) // where pipes have no files
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(first.Endpoint.Address));
        var (server, client) = await ChannelPair.ConnectAsync(first);
        client.Abort();
        server.Abort();
    }
}
