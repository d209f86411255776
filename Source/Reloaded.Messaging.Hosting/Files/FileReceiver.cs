using System.IO;
using System.Security.Cryptography;
using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>Receives a file that the remote side sends.</summary>
internal static class FileReceiver
{
    /// <summary>The size of the requested blocks, in bytes.</summary>
    private const int BlockSize = 128 * 1024;

    /// <summary>The bytes of a part that the sender hashes in a second, at least. The reply to the start of a transfer may take as much longer.</summary>
    private const int HashedPerSecond = 4 << 20;

    private const string PartPrefix = ".reloaded-";
    private const string PartExtension = ".part";

    /// <summary>Receives a file to a path. Until all of it has arrived, the bytes are in another file of the folder: see <see cref="PartOf"/>.</summary>
    public static async Task<TransferProgress> ReceiveAsync(Peer peer, FileOffered offer, string path, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        using var stream = Open(peer, offer); // closed also if the path is refused
        path = Path.GetFullPath(path);
        var part = PartOf(path);
        using var claim = await PathClaim.TakeAsync(path, peer, cancellationToken).ConfigureAwait(false);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, claim.Replaced);
        ThrowIfUnfit(path);
        var movesOpenFile = !OperatingSystem.IsWindows(); // while it is locked against other processes; Windows does not move open files
        TransferProgress received;
        var file = OpenPart(part);
        await using (file.ConfigureAwait(false))
        {
            try
            {
                received = await ReceiveAsync(stream, peer, offer, file, progress, ended.Token).ConfigureAwait(false);
                if (movesOpenFile)
                    Move(part, path);
            }
            catch (Exception e)
            {
                if (movesOpenFile && file.Length == 0)
                    File.Delete(part);
                if (e is OperationCanceledException && claim.Replaced.IsCancellationRequested)
                    throw new IOException($"Another transfer to {path} has begun, and continues this one.");
                throw;
            }
        }

        if (!movesOpenFile)
            Move(part, path);
        return received;
    }

    /// <summary>Returns the path of the file with the bytes of an unfinished transfer: a name of fixed length in the folder of the path, which no file of the program and of a peer has.</summary>
    /// <exception cref="FileRefusedException">Thrown when the path itself has such a name.</exception>
    internal static string PartOf(string path)
    {
        var name = Path.GetFileName(path);
        if (name.StartsWith(PartPrefix, StringComparison.OrdinalIgnoreCase) && name.EndsWith(PartExtension, StringComparison.OrdinalIgnoreCase))
            throw new FileRefusedException(FaultCode.InvalidPath, $"The destination {path} has a name of unfinished transfers ({PartPrefix}*{PartExtension}). Choose another name.");
        return Path.Combine(Path.GetDirectoryName(path) ?? "", PartPrefix + Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(name)))[..32] + PartExtension);
    }

    /// <summary>Throws if a file can never have the path, so that this is known before the first block.</summary>
    private static void ThrowIfUnfit(string path)
    {
        try
        {
            if ((File.GetAttributes(path) & FileAttributes.Directory) != 0)
                throw new FileRefusedException(FaultCode.InvalidPath, $"The destination {path} is a folder. Pass the path of a file.");
        }
        catch (FileNotFoundException)
        {
            // The usual case. A name that is too long, or a missing folder, throws another exception.
        }
    }

    private static FileStream OpenPart(string part)
    {
        IOException? held = null;
        try
        {
            if (File.Exists(part) && (File.GetAttributes(part) & FileAttributes.ReparsePoint) != 0)
                throw new FileRefusedException(FaultCode.InvalidPath, $"{part} is a link. The library writes to no file that a link leads to. Remove the link.");
            var file = new FileStream(part, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, bufferSize: 1);
            if (File.Exists(part))
                return file;
            file.Dispose(); // another process moved the file to its path after this one had opened it
        }
        catch (IOException e) when (e is not (FileRefusedException or DirectoryNotFoundException or PathTooLongException) && File.Exists(part))
        {
            held = e;
        }

        throw new FileRefusedException(FaultCode.PathInUse, $"Another process receives a file to the same path: it holds {part}. Try again later, or choose another path.", held);
    }

    /// <summary>Gives a complete file its path. An existing file is replaced. A link is replaced too, and the file to which it leads is not changed.</summary>
    private static void Move(string part, string path)
    {
        try
        {
            if (File.Exists(path))
            {
                File.Replace(part, path, null);
                return;
            }
        }
        catch (FileNotFoundException) when (File.Exists(part))
        {
            File.Delete(path); // a link that leads nowhere
        }

        File.Move(part, path);
    }

    /// <summary>Receives a file to a stream. The contents of a stream that can seek are taken as the beginning of the file.</summary>
    public static Task<TransferProgress> ReceiveAsync(Peer peer, FileOffered offer, Stream destination, IProgress<TransferProgress>? progress, CancellationToken cancellationToken) =>
        ReceiveAsync(Open(peer, offer), peer, offer, destination, progress, cancellationToken);

    private static IncomingStream Open(Peer peer, FileOffered offer) => new(peer, offer.Number, blockSize: BlockSize, longestPause: peer.Host.Options.LongestFilePause);

    private static async Task<TransferProgress> ReceiveAsync(IncomingStream stream, Peer peer, FileOffered offer, Stream destination, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        using var reading = stream;
        var isWaiting = true; // for the sender
        var state = new TransferProgress(0, offer.Length, 0);
        try
        {
            var offset = await StartAsync(peer, offer, destination, cancellationToken).ConfigureAwait(false);
            isWaiting = false;
            state = state with { Transferred = offset, Resumed = offset };
            progress?.Report(state);
            while (true)
            {
                isWaiting = true;
                var block = await stream.ReadAsync(cancellationToken).ConfigureAwait(false);
                isWaiting = false;
                try
                {
                    if (block.IsEnd)
                        break;
                    if (block.Length > offer.Length - state.Transferred)
                        throw new IOException("The remote side sent more bytes than the length of the file.");
                    await destination.WriteAsync(block.Memory, cancellationToken).ConfigureAwait(false);
                }
                finally
                {
                    block.Return(isSecret: false);
                }

                state = state with { Transferred = state.Transferred + block.Length };
                progress?.Report(state);
            }

            if (state.Transferred != offer.Length)
                throw new IOException("The remote side ended the transfer, or the file became shorter.");
            await destination.FlushAsync(cancellationToken).ConfigureAwait(false);
            return state;
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            throw FileTransferException.Of(offer.Name, state, isWaiting && e is TimeoutException ? new FileRefusedException(FaultCode.TransferStalled, $"The sender sent nothing for {peer.Host.Options.LongestFilePause.TotalSeconds} s. A later transfer to the same path continues.", e) : e);
        }
    }

    /// <summary>Reports the part that is there, and seeks to the offset at which the file continues.</summary>
    private static async Task<long> StartAsync(Peer peer, FileOffered offer, Stream destination, CancellationToken cancellationToken)
    {
        var size = destination.CanSeek && destination.CanRead && destination.Length <= offer.Length ? destination.Length : 0;
        var hash = size > 0 ? await FilePart.HashAsync(destination, size, cancellationToken).ConfigureAwait(false) : [];
        var part = new FileStart(offer.Number, size, hash ?? throw new IOException("The destination became shorter."));
        var started = await peer.RequestAsync(FileContracts.Start, FileContracts.Started, in part, peer.Host.Options.LongestFilePause + TimeSpan.FromSeconds(size / HashedPerSecond), cancellationToken).ConfigureAwait(false);
        if (started.Offset != size && started.Offset != 0)
            throw new RequestFailedException(RequestStatus.InvalidReply);
        if (destination.CanSeek)
        {
            destination.SetLength(started.Offset); // another file had been there
            destination.Position = started.Offset;
        }

        return started.Offset;
    }
}

/// <summary>The right of one transfer to write to a path. A later transfer to the path waits until the earlier one has ended.</summary>
/// <remarks>A later transfer of the same peer ends the earlier one. A transfer of another peer does not, because any peer could then end the transfers of others.</remarks>
internal sealed class PathClaim : IDisposable
{
    private static readonly Dictionary<string, PathClaim> s_claims = new(StringComparer.Ordinal); // also its lock; where names that differ in case are one file, each has its own part, and the last transfer to end replaces the file

    private readonly CancellationTokenSource _replaced = new();
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _path;
    private readonly Peer _peer;

    private PathClaim(string path, Peer peer)
    {
        _path = path;
        _peer = peer;
    }

    /// <summary>Canceled when a later transfer of the same peer takes the path.</summary>
    public CancellationToken Replaced => _replaced.Token;

    /// <summary>Takes a path, ends an earlier transfer of the same peer, and waits until the earlier transfer has ended.</summary>
    public static async Task<PathClaim> TakeAsync(string path, Peer peer, CancellationToken cancellationToken)
    {
        var claim = new PathClaim(path, peer);
        if (claim.Replace() is not { } earlier)
            return claim;
        try
        {
            await earlier._released.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            return claim;
        }
        catch
        {
            // Later transfers still wait for the earlier one.
            _ = earlier._released.Task.ContinueWith(static (_, claim) => ((PathClaim)claim!).Dispose(), claim, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            throw;
        }
    }

    public void Dispose()
    {
        lock (s_claims)
        {
            if (s_claims[_path] == this)
                s_claims.Remove(_path);
        }

        _released.SetResult();
    }

    /// <summary>Takes the path, and ends an earlier transfer of the same peer.</summary>
    /// <returns>The earlier claim, or <c>null</c>.</returns>
    private PathClaim? Replace()
    {
        PathClaim? earlier;
        lock (s_claims)
        {
            s_claims.TryGetValue(_path, out earlier);
            s_claims[_path] = this;
        }

        if (earlier?._peer == _peer)
            earlier._replaced.Cancel();
        return earlier;
    }
}
