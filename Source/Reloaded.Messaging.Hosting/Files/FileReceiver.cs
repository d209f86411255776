using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Receives a file that the remote side sends.</summary>
internal static class FileReceiver
{
    /// <summary>The size of the requested blocks, in bytes.</summary>
    private const int BlockSize = 128 * 1024;

    /// <summary>Appended to the path of a file until all of it has arrived.</summary>
    private const string PartExtension = ".part";

    /// <summary>Receives a file to a path. Until all of it has arrived, the file has the extension <see cref="PartExtension"/>.</summary>
    public static async Task<TransferProgress> ReceiveAsync(Peer peer, FileOffered offer, string path, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        path = Path.GetFullPath(path);
        if (Directory.Exists(path))
            throw new IOException($"The destination {path} is a folder. Pass the path of a file.");
        using var claim = await PathClaim.TakeAsync(path, peer, cancellationToken).ConfigureAwait(false);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, claim.Replaced);
        TransferProgress received;
        if (File.Exists(path + PartExtension) && (File.GetAttributes(path + PartExtension) & FileAttributes.ReparsePoint) != 0)
            throw new IOException($"{path + PartExtension} is a link. The library writes to no file that a link leads to. Remove the link.");
        var file = new FileStream(path + PartExtension, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, bufferSize: 1);
        await using (file.ConfigureAwait(false))
        {
            try
            {
                received = await ReceiveAsync(peer, offer, file, progress, ended.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (claim.Replaced.IsCancellationRequested)
            {
                throw new IOException($"Another transfer to {path} has begun, and continues this one.");
            }
        }

        if (File.Exists(path))
            File.Replace(path + PartExtension, path, null);
        else
            File.Move(path + PartExtension, path);
        return received;
    }

    /// <summary>Receives a file to a stream. The contents of a stream that can seek are taken as the beginning of the file.</summary>
    public static async Task<TransferProgress> ReceiveAsync(Peer peer, FileOffered offer, Stream destination, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        peer.ThrowIfUnreliable();
        using var stream = new IncomingStream(peer, offer.Number, blockSize: BlockSize);
        var state = new TransferProgress(0, offer.Length, 0);
        try
        {
            var offset = await StartAsync(peer, offer, destination, cancellationToken).ConfigureAwait(false);
            state = state with { Transferred = offset, Resumed = offset };
            progress?.Report(state);
            while (true)
            {
                var block = await stream.ReadAsync(cancellationToken).ConfigureAwait(false);
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
            throw FileTransferException.Of(offer.Name, state, e);
        }
    }

    /// <summary>Reports the part that is there, and seeks to the offset at which the file continues.</summary>
    private static async Task<long> StartAsync(Peer peer, FileOffered offer, Stream destination, CancellationToken cancellationToken)
    {
        var size = destination.CanSeek && destination.CanRead && destination.Length <= offer.Length ? destination.Length : 0;
        var hash = size > 0 ? await FilePart.HashAsync(destination, size, cancellationToken).ConfigureAwait(false) : [];
        var part = new FileStart(offer.Number, size, hash ?? throw new IOException("The destination became shorter."));
        var started = await peer.RequestAsync(FileContracts.Start, FileContracts.Started, in part, StreamContracts.NoTimeout, cancellationToken).ConfigureAwait(false);
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
    private static readonly Dictionary<string, PathClaim> s_claims = new(StringComparer.OrdinalIgnoreCase); // also its lock

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
            _ = claim.ReleaseAfterAsync(earlier);
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

    /// <summary>Releases a claim whose caller no longer waits. Later transfers still wait for the earlier one.</summary>
    private async Task ReleaseAfterAsync(PathClaim earlier)
    {
        await earlier._released.Task.ConfigureAwait(false);
        Dispose();
    }
}
