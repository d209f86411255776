using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

/// <summary>A sender learns by a code why its file was not received, and the receiver's own paths are not in the text.</summary>
public sealed class FileRefusalTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("rm-refusals-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public Task Full_disk_is_reported() => ExpectAsync(new FullDisk(), FaultCode.NoSpace);

    [Fact]
    public Task Missing_folder_is_reported() => ExpectAsync(Path.Combine(_folder, "missing", "file"), FaultCode.InvalidPath);

    [Fact]
    public Task Name_that_is_too_long_is_reported() => ExpectAsync(Path.Combine(_folder, new string('a', 256)), FaultCode.InvalidPath);

    [Fact]
    public Task Name_of_unfinished_files_is_reported() => ExpectAsync(PartFile.Of(Path.Combine(_folder, "other")), FaultCode.InvalidPath);

    [Fact]
    public Task Path_below_a_file_is_reported()
    {
        File.WriteAllText(Path.Combine(_folder, "file"), "");
        return ExpectAsync(Path.Combine(_folder, "file", "below"), FaultCode.InvalidPath);
    }

    [Fact]
    public async Task Path_to_which_another_process_receives_is_reported()
    {
        var saved = Path.Combine(_folder, "saved");
        using (new FileStream(PartFile.Of(saved), FileMode.Create, FileAccess.ReadWrite, FileShare.None))
            await ExpectAsync(saved, FaultCode.PathInUse);
    }

    [Fact]
    public async Task Folder_without_access_is_reported()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows() || Environment.IsPrivilegedProcess, "The permissions of a folder apply to users of Unix that are not root.");
        if (OperatingSystem.IsWindows())
            return;
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "read-only"), UnixFileMode.UserRead | UnixFileMode.UserExecute);
        await ExpectAsync(Path.Combine(folder.FullName, "file"), FaultCode.InvalidPath);
    }

    [Fact]
    public async Task Exception_of_the_handler_itself_is_not_reported_by_its_text()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), static host => host.OnFile(static (_, _) => throw new UnauthorizedAccessException("/secret/path")));

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.SendFileAsync(new MemoryStream([1]), "bytes").InTime());

        Assert.Equal(FaultCode.HandlerFailed, fault.Code);
        Assert.DoesNotContain("secret", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Offer_that_sends_nothing_ends_and_the_next_transfer_to_the_path_begins()
    {
        var (saved, isRead) = (Path.Combine(_folder, "saved"), Signal.New<bool>());
        var options = new MessageHostOptions { LongestFilePause = TimeSpan.FromMilliseconds(300) };
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => server.OnFile((offer, token) => offer.SaveAsync(saved, cancellationToken: token)), serverOptions: options);
        await using var honest = await MessageHost.ConnectAsync(hosts.Server.Endpoint);
        using var release = new SemaphoreSlim(0);
        var stalled = hosts.Client.SendFileAsync(new StalledStream(release, isRead), "stalled");
        await isRead.Task.InTime(); // the receiver has asked for the file, and has the path

        await honest.SendFileAsync(new MemoryStream([1, 2, 3]), "honest").InTime();

        Assert.Equal([1, 2, 3], File.ReadAllBytes(saved));
        release.Release(100);
        var failure = await Assert.ThrowsAnyAsync<Exception>(() => stalled.InTime());
        Assert.Equal(FaultCode.TransferStalled, Assert.IsType<RequestFaultException>(failure is FileTransferException ? failure.InnerException : failure).Code);
        Assert.Equal([saved], Directory.GetFiles(_folder));
    }

    /// <summary>The sender has opened its file before the receiver looks at the path.</summary>
    [Fact]
    public async Task Path_that_is_refused_closes_the_file_of_the_sender()
    {
        var isClosed = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => server.OnFileRequest((_, _) => new NotedStream(isClosed)));

        await Assert.ThrowsAnyAsync<IOException>(() => hosts.Client.ReceiveFileAsync("bytes", _folder).InTime());

        await isClosed.Task.InTime();
        await Signal.UntilAsync(() => hosts.Server.Peers.Single().OpenStreams == 0);
    }

    /// <summary>The reply has the length of the file beside the name, and exceeds the limit that the name does not.</summary>
    [Fact]
    public async Task File_whose_reply_is_too_large_is_closed()
    {
        var isClosed = Signal.New<bool>();
        var limits = new MessageLimits { MaxMessageSize = 1000 };
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => server.OnFileRequest((_, _) => new NotedStream(isClosed)), clientOptions: new MessageHostOptions { MessageLimits = limits });

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.ReceiveFileAsync(new string('n', 985), Path.Combine(_folder, "file")).InTime());

        Assert.Equal(FaultCode.ReplyFailed, fault.Code);
        await isClosed.Task.InTime();
        await Signal.UntilAsync(() => hosts.Server.Peers.Single().OpenStreams == 0);
    }

    private static MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"refusals-{Guid.NewGuid():N}");

    private Task ExpectAsync(string path, int code) => ExpectAsync((offer, token) => offer.SaveAsync(path, cancellationToken: token), code);

    private Task ExpectAsync(Stream destination, int code) => ExpectAsync((offer, token) => offer.SaveAsync(destination, cancellationToken: token), code);

    private async Task ExpectAsync(Func<FileOffer, CancellationToken, Task> save, int code)
    {
        var before = Directory.GetFileSystemEntries(_folder);
        var failed = Signal.New<Exception>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server =>
        {
            server.HandlerFailed += failure => failed.TrySetResult(failure.Exception);
            server.OnFile(save);
        });

        var failure = await Assert.ThrowsAnyAsync<Exception>(() => hosts.Client.SendFileAsync(new MemoryStream(new byte[1000]), "bytes").InTime());

        var fault = Assert.IsType<RequestFaultException>(failure is FileTransferException ? failure.InnerException : failure);
        Assert.Equal(code, fault.Code);
        Assert.DoesNotContain(_folder, fault.Message, StringComparison.Ordinal);
        _ = await failed.Task.InTime();
        Assert.Equal(1, hosts.Server.GetStatistics().HandlerFailures);
        Assert.Equal(before, Directory.GetFileSystemEntries(_folder));
    }

    /// <summary>Fails as a file on a full disk does.</summary>
    private sealed class FullDisk : MemoryStream
    {
        private const int NoSpaceOnUnix = 28;
        private const int NoSpaceOnWindows = unchecked((int)0x80070070);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            throw new IOException("No space left on device", OperatingSystem.IsWindows() ? NoSpaceOnWindows : NoSpaceOnUnix);
    }

    /// <summary>Notes that it was disposed.</summary>
    private sealed class NotedStream(TaskCompletionSource<bool> isClosed) : MemoryStream(new byte[1000])
    {
        protected override void Dispose(bool disposing)
        {
            base.Dispose(disposing);
            isClosed.TrySetResult(disposing);
        }
    }

    /// <summary>Waits at each read.</summary>
    private sealed class StalledStream(SemaphoreSlim release, TaskCompletionSource<bool> isRead) : MemoryStream(new byte[1000])
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            isRead.TrySetResult(true);
            await release.WaitAsync(cancellationToken);
            return Read(buffer.Span);
        }
    }
}
