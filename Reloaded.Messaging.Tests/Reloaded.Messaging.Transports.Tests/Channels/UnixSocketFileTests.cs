using System.IO;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

[UnsupportedOSPlatform("windows")] // files have no such modes there
public sealed class UnixSocketFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("rm-").FullName;

    public UnixSocketFileTests() => TestSystem.RequireUnixSockets();

    private string SocketPath => Path.Combine(_folder, "s");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Socket_and_lock_are_accessible_by_this_user_only()
    {
        await using var listener = await ListenAsync();

        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(SocketPath));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(SocketPath + ".lock"));
    }

    [Fact]
    public async Task Disposing_removes_the_socket_and_leaves_the_lock_for_the_next()
    {
        var listener = await ListenAsync();

        await listener.DisposeAsync();

        Assert.False(File.Exists(SocketPath));
        Assert.True(File.Exists(SocketPath + ".lock"));
    }

    [Fact]
    public async Task End_of_an_accepted_channel_does_not_remove_the_socket()
    {
        await using var listener = await ListenAsync();
        var (server, client) = await ChannelPair.ConnectAsync(listener);

        client.Abort();
        await server.DisposeAsync();

        await ConnectTwoAsync(listener);
    }

    [Fact]
    public async Task Socket_of_a_dead_server_is_taken_over()
    {
        await using (var dead = new FileOfTheDead(SocketPath))
            Assert.True(File.Exists(SocketPath));
        Assert.True(File.Exists(SocketPath));

        await using var listener = await ListenAsync();

        await ConnectTwoAsync(listener);
    }

    [Fact]
    public async Task Socket_of_a_live_server_is_not_unlinked_by_a_second_server()
    {
        await using var first = await ListenAsync();

        for (var i = 0; i < 3; i++)
            await Assert.ThrowsAsync<InvalidOperationException>(ListenAsync);

        Assert.True(File.Exists(SocketPath));
        await ConnectTwoAsync(first);
    }

    [Fact]
    public async Task Disposing_the_first_server_again_leaves_the_socket_of_the_second()
    {
        var first = await ListenAsync();
        await first.DisposeAsync();
        await using var second = await ListenAsync();

        await first.DisposeAsync();

        Assert.True(File.Exists(SocketPath));
        await Assert.ThrowsAsync<InvalidOperationException>(ListenAsync);
    }

    [Fact]
    public async Task File_that_is_not_a_socket_is_not_changed()
    {
        await File.WriteAllTextAsync(SocketPath, "years of work");

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(ListenAsync);

        Assert.Contains(SocketPath, refusal.Message, StringComparison.Ordinal);
        Assert.Equal("years of work", await File.ReadAllTextAsync(SocketPath));
    }

    [Fact]
    public async Task Missing_folder_is_named_by_the_exception()
    {
        var failure = await Assert.ThrowsAnyAsync<IOException>(async () => await MessageEndpoint.Unix(Path.Combine(_folder, "no", "s")).ListenAsync(new TransportContext()));

        Assert.Contains(Path.Combine(_folder, "no"), failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task File_of_the_program_at_the_path_of_the_lock_keeps_its_bytes()
    {
        File.WriteAllText(SocketPath + ".lock", "mine");

        await using (var listener = await ListenAsync())
            await ConnectTwoAsync(listener);

        Assert.Equal("mine", File.ReadAllText(SocketPath + ".lock"));
    }

    [Fact]
    public async Task Lock_that_cannot_be_opened_is_not_taken_for_a_live_server()
    {
        File.CreateSymbolicLink(SocketPath + ".lock", SocketPath + ".lock"); // fails as a read-only or full disk does: by an error that is not a held lock

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(ListenAsync);

        Assert.DoesNotContain("already", refusal.Message, StringComparison.Ordinal);
        Assert.Contains(refusal.InnerException!.Message, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Path_of_maximum_length_works_and_a_longer_path_is_refused()
    {
        var longest = SocketPath + new string('x', UnixSocketTransport.MaxPathBytes - SocketPath.Length);

        await using var listener = await MessageEndpoint.Unix(longest).ListenAsync(new TransportContext());
        await ConnectTwoAsync(listener);

        var refusal = Assert.Throws<PathTooLongException>(() => MessageEndpoint.Unix(longest + "x"));
        Assert.Contains($"{UnixSocketTransport.MaxPathBytes}", refusal.Message, StringComparison.Ordinal);
        Assert.Throws<PathTooLongException>(() => MessageEndpoint.Unix(SocketPath + new string('ä', 50))); // bytes count, not letters
    }

    private static async Task ConnectTwoAsync(TransportListener listener)
    {
        for (var i = 0; i < 2; i++)
        {
            var (server, client) = await ChannelPair.ConnectAsync(listener);
            client.Abort();
            server.Abort();
        }
    }

    private async Task<TransportListener> ListenAsync() => await MessageEndpoint.Unix(SocketPath).ListenAsync(new TransportContext());

    /// <summary>A socket's file as a process leaves it that was killed: moved away and back, since an orderly end removes it.</summary>
    private sealed class FileOfTheDead : IAsyncDisposable
    {
        private readonly string _path;
        private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

        public FileOfTheDead(string path)
        {
            _path = path;
            _socket.Bind(new UnixDomainSocketEndPoint(path));
            _socket.Listen();
        }

        public ValueTask DisposeAsync()
        {
            File.Move(_path, _path + "~");
            _socket.Dispose();
            File.Move(_path + "~", _path);
            return default;
        }
    }
}
