using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

/// <summary>What holds for transfers of files over every transport that delivers all messages.</summary>
public abstract class FileTransferTests : IDisposable
{
    private readonly string _folder = Directory.CreateDirectory(Path.Combine(Path.GetTempPath(), $"rm-files-{Guid.NewGuid():N}")).FullName;

    public void Dispose()
    {
        Directory.Delete(_folder, recursive: true);
        GC.SuppressFinalize(this);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3_000_000)]
    public async Task Sent_file_arrives_with_its_name_and_its_bytes(int size)
    {
        var (source, saved) = (Write("source.bin", Bytes(size)), Path.Combine(_folder, "saved.bin"));
        var name = "";
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile(async (offer, token) =>
        {
            name = $"{offer.Name}, {offer.Length}";
            await offer.SaveAsync(saved, cancellationToken: token);
        }));

        var sent = await hosts.Client.SendFileAsync(source).InTime();

        Assert.Equal(new TransferProgress(size, size, 0), sent);
        Assert.Equal($"source.bin, {size}", name);
        Assert.Equal(File.ReadAllBytes(source), File.ReadAllBytes(saved));
        Assert.Equal(["saved.bin", "source.bin"], Directory.GetFiles(_folder).Select(Path.GetFileName).Order());
    }

    [Fact]
    public async Task Received_file_replaces_an_existing_file()
    {
        var bytes = Bytes(1_000_000);
        var source = Write("source.bin", bytes);
        var saved = Write("saved.bin", [1, 2, 3]);
        await using var hosts = await HostPair.ConnectAsync(
            NewEndpoint(),
            host => host.OnFileRequest((name, _) => name == "log" ? File.OpenRead(source) : throw new RequestFaultException(1000, $"There is no {name}.")));

        var received = await hosts.Client.ReceiveFileAsync("log", saved).InTime();

        Assert.Equal(new TransferProgress(bytes.Length, bytes.Length, 0), received);
        Assert.Equal(bytes, File.ReadAllBytes(saved));
        Assert.Equal("There is no other.", (await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.ReceiveFileAsync("other", saved).InTime())).Message);
        await Signal.UntilAsync(() => CanWrite(source)); // the hosts.Server has closed the file
    }

    [Fact]
    public async Task Progress_grows_to_the_length_on_both_sides()
    {
        var source = new MemoryStream(Bytes(1_000_000));
        var (sent, received) = (new Steps(), new Steps());
        var destination = new MemoryStream();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile((offer, token) => offer.SaveAsync(destination, received, token)));

        await hosts.Client.SendFileAsync(source, "bytes", sent).InTime();

        Assert.Equal(source.ToArray(), destination.ToArray());
        foreach (var steps in (Steps[])[sent, received])
        {
            Assert.InRange(steps.All.Count, 3, 100);
            Assert.Equal(steps.All.Order(), steps.All);
            Assert.Equal(1_000_000, steps.All[^1]);
        }
    }

    [Fact]
    public async Task Refused_file_is_reported_with_code_and_text()
    {
        await using var hosts = await HostPair.ConnectAsync(
            NewEndpoint(),
            static host => host.OnFile(static (offer, _) => throw new RequestFaultException(1001, $"{offer.Length} bytes are too many.")));

        var refusal = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.SendFileAsync(new MemoryStream(new byte[5]), "bytes").InTime());

        Assert.Equal((1001, "5 bytes are too many."), (refusal.Code, refusal.Message));
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Handler_that_does_not_save_the_file_fails()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), static host => host.OnFile(static (_, _) => Task.CompletedTask));

        var failure = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.SendFileAsync(new MemoryStream([1]), "bytes").InTime());

        Assert.Equal(FaultCode.HandlerFailed, failure.Code);
        Assert.Equal(1, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Transfer_continues_after_the_connection_was_lost()
    {
        var bytes = Bytes(5_000_000);
        var (source, saved) = (Write("source.bin", bytes), Path.Combine(_folder, "saved.bin"));
        var cuts = 0;
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile((offer, token) => offer.SaveAsync(
            saved,
            new Steps(state =>
            {
                if (state.Transferred > (cuts + 1) * 1_000_000 && cuts < 3)
                {
                    cuts++;
                    offer.From.Lose();
                }
            }),
            token)), clientOptions: s_reconnecting);

        var sent = await hosts.Client.SendFileAsync(source).InTime();

        Assert.Equal(3, cuts);
        Assert.Equal(3, hosts.Client.Reconnects);
        Assert.InRange(sent.Resumed, 3_000_000, 5_000_000);
        Assert.Equal(bytes, File.ReadAllBytes(saved));
    }

    [Fact]
    public async Task Download_continues_after_the_connection_was_lost()
    {
        var bytes = Bytes(3_000_000);
        var (source, saved) = (Write("source.bin", bytes), Path.Combine(_folder, "saved.bin"));
        var isCut = false;
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFileRequest((_, _) => File.OpenRead(source)), clientOptions: s_reconnecting);

        var received = await hosts.Client.ReceiveFileAsync("source", saved, new Steps(state =>
        {
            if (state.Transferred <= 1_000_000 || isCut)
                return;
            isCut = true;
            hosts.Client.Server.Lose();
        })).InTime();

        Assert.InRange(received.Resumed, 1_000_000, 3_000_000);
        Assert.Equal(bytes, File.ReadAllBytes(saved));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Part_is_kept_only_if_the_file_begins_with_it(bool isSame)
    {
        var bytes = Bytes(1_000_000);
        var saved = Path.Combine(_folder, "saved.bin");
        var part = bytes[..400_000];
        part[123_456] ^= (byte)(isSame ? 0 : 1);
        File.WriteAllBytes(PartFile.Of(saved), part);
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile((offer, token) => offer.SaveAsync(saved, cancellationToken: token)));

        var sent = await hosts.Client.SendFileAsync(new MemoryStream(bytes), "bytes").InTime();

        Assert.Equal(isSame ? 400_000 : 0, sent.Resumed);
        Assert.Equal(bytes, File.ReadAllBytes(saved));
    }

    [Fact]
    public async Task Part_longer_than_the_file_is_removed()
    {
        var destination = new MemoryStream();
        destination.Write(Bytes(2000));
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile((offer, token) => offer.SaveAsync(destination, cancellationToken: token)));

        await hosts.Client.SendFileAsync(new MemoryStream([1, 2, 3]), "bytes").InTime();

        Assert.Equal([1, 2, 3], destination.ToArray());
    }

    [Fact]
    public async Task File_that_becomes_shorter_fails_with_the_offset()
    {
        var source = new ShrinkingStream(1_000_000, Bytes(600_000));
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile((offer, token) => offer.SaveAsync(new MemoryStream(), cancellationToken: token)));
        var failed = Signal.New<Exception>();
        hosts.Server.HandlerFailed += failure => failed.TrySetResult(failure.Exception);

        var sent = await Assert.ThrowsAsync<FileTransferException>(() => hosts.Client.SendFileAsync(source, "bytes").InTime());

        Assert.Equal(new TransferProgress(600_000, 1_000_000, 0), sent.Progress);
        Assert.Contains("\"bytes\" failed at byte 600,000 of 1,000,000", sent.Message, StringComparison.Ordinal);
        Assert.Equal(FaultCode.HandlerFailed, Assert.IsType<RequestFaultException>(sent.InnerException).Code);
        Assert.Equal(600_000, Assert.IsType<FileTransferException>(await failed.Task.InTime()).Progress.Transferred);
    }

    [Theory]
    [InlineData(false, 300_000)]
    [InlineData(false, 0)]
    [InlineData(true, 300_000)]
    public async Task Exception_of_the_source_or_the_progress_is_thrown_by_the_call_of_the_sender(bool isOfProgress, int position)
    {
        var cause = new IOException("The disk is gone.");
        var source = new FailingStream(Bytes(1_000_000), isOfProgress ? int.MaxValue : position, cause);
        var progress = new Steps(state =>
        {
            if (isOfProgress && state.Transferred >= position)
                throw cause;
        });
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile((offer, token) => offer.SaveAsync(new MemoryStream(), cancellationToken: token)));
        var (failed, reported) = (Signal.New<Exception>(), 0);
        hosts.Server.HandlerFailed += failure => failed.TrySetResult(failure.Exception);
        hosts.Client.HandlerFailed += _ => reported++;

        var sent = await Assert.ThrowsAsync<FileTransferException>(() => hosts.Client.SendFileAsync(source, "bytes", progress).InTime());

        Assert.Same(cause, sent.InnerException);
        Assert.Equal(0, reported);
        var received = Assert.IsType<FileTransferException>(await failed.Task.InTime());
        Assert.Contains("source of the file failed at byte", received.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("disk", received.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Exception_of_a_requested_file_is_reported_by_the_host_that_has_it()
    {
        var cause = new IOException("The disk is gone.");
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFileRequest((_, _) => new FailingStream(Bytes(1_000_000), 300_000, cause)));
        var failed = Signal.New<Exception>();
        hosts.Server.HandlerFailed += failure => failed.TrySetResult(failure.Exception);

        var received = await Assert.ThrowsAsync<FileTransferException>(() => hosts.Client.Server.ReceiveFileAsync("bytes", new MemoryStream()).InTime());

        Assert.Same(cause, await failed.Task.InTime());
        Assert.Contains("source of the file failed at byte", received.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Source_that_cannot_be_disposed_is_reported_after_its_file_has_arrived()
    {
        var bytes = Bytes(1000);
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFileRequest((_, _) => new UndisposableStream(bytes)));
        var failed = Signal.New<Exception>();
        hosts.Server.HandlerFailed += failure => failed.TrySetResult(failure.Exception);
        var saved = Path.Combine(_folder, "saved.bin");

        await hosts.Client.ReceiveFileAsync("source", saved).InTime();

        Assert.Equal(bytes, File.ReadAllBytes(saved));
        Assert.IsType<IOException>(await failed.Task.InTime());
    }

    [Fact]
    public async Task Canceled_transfer_ends_both_sides_and_keeps_the_part()
    {
        using var canceled = new CancellationTokenSource();
        var saved = Path.Combine(_folder, "saved.bin");
        var ended = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile(async (offer, token) =>
        {
            try
            {
                await offer.SaveAsync(saved, new Steps(step => CancelAfterBytes(step)), token);
            }
            finally
            {
                ended.SetResult(true);
            }
        }));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => hosts.Client.SendFileAsync(new MemoryStream(Bytes(5_000_000)), "bytes", cancellationToken: canceled.Token).InTime());

        Assert.True(await ended.Task.InTime());
        Assert.False(File.Exists(saved));
        Assert.True(File.Exists(PartFile.Of(saved)));
        Assert.True(hosts.Client.Server.IsConnected);

        void CancelAfterBytes(TransferProgress step)
        {
            if (step.Transferred > 0) // a part without bytes is deleted
                canceled.Cancel();
        }
    }

    [Fact]
    public async Task File_larger_than_all_limits_of_memory_arrives()
    {
        var options = new MessageHostOptions { Limits = new HostLimits { MaxPendingBytes = 64 * 1024 }, MessageLimits = new MessageLimits { MaxMessageSize = 20_000 } };
        var bytes = Bytes(2_000_000);
        var destination = new MemoryStream();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile((offer, token) => offer.SaveAsync(destination, cancellationToken: token)), options: options);

        await hosts.Client.SendFileAsync(new MemoryStream(bytes), "bytes").InTime();

        Assert.Equal(bytes, destination.ToArray());
    }

    [Fact]
    public async Task Part_is_reported_once_for_a_file_and_before_its_first_block()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFileRequest((_, _) => new MemoryStream(Bytes(100))));
        var started = await RequestFileAsync(hosts.Client);
        var pulled = await RequestFileAsync(hosts.Client);
        Assert.Equal(new FileStarted(0), await StartAsync(hosts.Client, started, 0, []));
        using var stream = new IncomingStream(hosts.Client.Server, pulled.Number);
        (await stream.ReadAsync(default).AsTask().InTime()).Return(isSecret: false);

        foreach (var file in (FileOffered[])[started, pulled])
        {
            var fault = await Assert.ThrowsAsync<RequestFaultException>(() => StartAsync(hosts.Client, file, 0, []));
            Assert.Equal(FaultCode.InvalidRequest, fault.Code);
        }
    }

    [Fact]
    public async Task Parts_of_the_files_of_a_peer_are_hashed_one_at_a_time()
    {
        var reads = new ConcurrentReads();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFileRequest((_, _) => new CountingStream(Bytes(1_000_000), reads)));
        var files = await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => RequestFileAsync(hosts.Client)));

        await Task.WhenAll(files.Select(file => StartAsync(hosts.Client, file, 1_000_000, new byte[FilePart.HashSize]))).InTime();

        Assert.Equal(1, reads.Most);
    }

    [Fact]
    public async Task Block_of_a_file_is_at_most_128_KiB_whatever_the_peer_requests()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFileRequest((_, _) => new MemoryStream(Bytes(1_000_000))));
        using var stream = new IncomingStream(hosts.Client.Server, (await RequestFileAsync(hosts.Client)).Number, blockSize: int.MaxValue);

        var block = await stream.ReadAsync(default).AsTask().InTime();

        Assert.Equal(128 * 1024, block.Length);
        block.Return(isSecret: false);
    }

    [Fact]
    public async Task Transfer_of_another_peer_to_a_path_waits_for_the_earlier_one()
    {
        var (bytes, later) = (Bytes(2_000_000), Bytes(1_000_000));
        var saved = Path.Combine(_folder, "saved.bin");
        var (isHalf, release) = (Signal.New<bool>(), new ManualResetEventSlim());
        var hasBegun = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile((offer, token) =>
        {
            var saving = offer.SaveAsync(saved, new Steps(state => PauseFirst(offer.Name, state.Transferred)), token);
            if (offer.Name == "second")
                hasBegun.SetResult(true);
            return saving;
        }));
        await using var second = await MessageHost.ConnectAsync(hosts.Server.Endpoint);
        var sendingFirst = hosts.Client.SendFileAsync(new MemoryStream(bytes), "first");
        await isHalf.Task.InTime();

        var sendingSecond = second.SendFileAsync(new MemoryStream(later), "second");
        await hasBegun.Task.InTime();
        release.Set();

        Assert.Equal(new TransferProgress(bytes.Length, bytes.Length, 0), await sendingFirst.InTime());
        Assert.Equal(new TransferProgress(later.Length, later.Length, 0), await sendingSecond.InTime());
        Assert.Equal(later, File.ReadAllBytes(saved));

        void PauseFirst(string name, long transferred)
        {
            if (name == "first" && transferred > 500_000 && isHalf.TrySetResult(true))
                release.WaitInTime();
        }
    }

    [Fact]
    public async Task Destination_that_is_a_folder_fails_before_the_first_byte()
    {
        var destination = Directory.CreateDirectory(Path.Combine(_folder, "folder")).FullName;
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFileRequest((_, _) => new MemoryStream(Bytes(100))));

        var failure = await Assert.ThrowsAnyAsync<IOException>(() => hosts.Client.ReceiveFileAsync("bytes", destination).InTime());

        Assert.Contains(destination, failure.Message, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(_folder));
    }

    [Fact]
    public async Task Part_that_another_process_writes_is_refused_and_not_changed()
    {
        var saved = Path.Combine(_folder, "saved.bin");
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFileRequest((_, _) => new MemoryStream(Bytes(100))));
        using (var other = new FileStream(PartFile.Of(saved), FileMode.Create, FileAccess.ReadWrite, FileShare.ReadWrite))
        {
            other.Write([1, 2, 3]);
            other.Flush();

            var failure = await Assert.ThrowsAnyAsync<IOException>(() => hosts.Client.ReceiveFileAsync("bytes", saved).InTime());

            Assert.Contains(PartFile.Of(saved), failure.Message, StringComparison.Ordinal);
            Assert.Equal(3, other.Length);
        }

        await hosts.Client.ReceiveFileAsync("bytes", saved).InTime();
        Assert.Equal(Bytes(100), File.ReadAllBytes(saved));
    }

    [Fact]
    public async Task Later_transfer_of_a_peer_to_a_path_ends_the_earlier_one_and_continues_it()
    {
        var bytes = Bytes(2_000_000);
        var saved = Path.Combine(_folder, "saved.bin");
        var (isHalf, release) = (Signal.New<bool>(), new ManualResetEventSlim());
        var hasBegun = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnFile((offer, token) =>
        {
            var saving = offer.SaveAsync(saved, new Steps(state => PauseFirst(offer.Name, state.Transferred)), token);
            if (offer.Name == "second")
                hasBegun.SetResult(true);
            return saving;
        }));
        var sendingFirst = hosts.Client.SendFileAsync(new MemoryStream(bytes), "first");
        await isHalf.Task.InTime();

        var sendingSecond = hosts.Client.SendFileAsync(new MemoryStream(bytes), "second");
        await hasBegun.Task.InTime();
        release.Set();

        Assert.InRange((await sendingSecond.InTime()).Resumed, 500_000, 2_000_000);
        await Assert.ThrowsAsync<FileTransferException>(() => sendingFirst.InTime());
        Assert.Equal(bytes, File.ReadAllBytes(saved));

        void PauseFirst(string name, long transferred)
        {
            if (name == "first" && transferred > 500_000 && isHalf.TrySetResult(true))
                release.WaitInTime();
        }
    }

    protected abstract MessageEndpoint NewEndpoint();

    private static readonly MessageHostOptions s_reconnecting = new() { Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20) } };

    private static byte[] Bytes(int count)
    {
        var bytes = new byte[count];
        new Random(count).NextBytes(bytes);
        return bytes;
    }

    private static Task<FileOffered> RequestFileAsync(MessageClient client) =>
        client.Server.RequestAsync(FileContracts.Wanted, FileContracts.Found, new FileWanted("bytes")).AsTask().InTime();

    private static Task<FileStarted> StartAsync(MessageClient client, FileOffered file, long offset, byte[] hash) =>
        client.Server.RequestAsync(FileContracts.Start, FileContracts.Started, new FileStart(file.Number, offset, hash)).AsTask().InTime();

    private static bool CanWrite(string path)
    {
        try
        {
            using var file = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.None);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    private string Write(string name, byte[] bytes)
    {
        var path = Path.Combine(_folder, name);
        File.WriteAllBytes(path, bytes);
        return path;
    }

    /// <summary>Lists the progress on the thread that reports it.</summary>
    private sealed class Steps(Action<TransferProgress>? reported = null) : IProgress<TransferProgress>
    {
        public List<long> All { get; } = [];

        public void Report(TransferProgress value)
        {
            All.Add(value.Transferred);
            reported?.Invoke(value);
        }
    }

    /// <summary>The highest number of reads that ran at the same time.</summary>
    private sealed class ConcurrentReads
    {
        private int _running;

        public int Most { get; private set; }

        public void Enter()
        {
            lock (this)
                Most = Math.Max(Most, ++_running);
        }

        public void Leave()
        {
            lock (this)
                _running--;
        }
    }

    private sealed class CountingStream(byte[] bytes, ConcurrentReads reads) : MemoryStream(bytes)
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            reads.Enter();
            await Task.Yield();
            reads.Leave();
            return Read(buffer.Span);
        }
    }

    private sealed class UndisposableStream(byte[] bytes) : MemoryStream(bytes)
    {
        public override async ValueTask DisposeAsync()
        {
            await base.DisposeAsync();
            throw new IOException("The file cannot be closed.");
        }
    }

    private sealed class FailingStream(byte[] bytes, int position, Exception cause) : MemoryStream(bytes)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            Position + buffer.Length > position ? throw cause : base.ReadAsync(buffer, cancellationToken);
    }

    /// <summary>Says that it is longer than it is.</summary>
    private sealed class ShrinkingStream(int length, byte[] bytes) : MemoryStream(bytes)
    {
        public override long Length => length;
    }
}

public sealed class InProcessFileTests : FileTransferTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"files-{Interlocked.Increment(ref s_names)}");
}

public sealed class TcpFileTests : FileTransferTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp(0);
}
