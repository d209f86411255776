using System.IO;

namespace Reloaded.Messaging.Hosting;

/// <summary>A file that a peer wants to send. The handler of <see cref="FileTransfers.OnFile"/> saves it, or throws a <see cref="RequestFaultException"/> to refuse it.</summary>
public sealed class FileOffer
{
    private readonly FileOffered _offer;

    internal FileOffer(Peer from, FileOffered offer)
    {
        From = from;
        _offer = offer;
    }

    /// <summary>The sender.</summary>
    public Peer From { get; }

    /// <summary>The name that the sender gave to the file. Untrusted: do not use it as a path.</summary>
    public string Name => _offer.Name;

    /// <summary>The length of the file, in bytes (0 or more). The sender cannot send more.</summary>
    public long Length => _offer.Length;

    internal bool IsSaved { get; private set; }

    /// <summary>The reason of the last failure, for the sender; <c>null</c> if there is none, or if the sender may not know it.</summary>
    internal RequestFaultException? Refusal { get; private set; }

    /// <summary>Receives the file to a path. Continues an earlier transfer to the path that was interrupted.</summary>
    /// <param name="path">The path. An existing file is replaced when all bytes have arrived. Until then, the bytes are in a file <c>.reloaded-*.part</c> of the same folder, which stays after a failure. Such a name is refused as the path.</param>
    /// <param name="progress">Receives the progress after each block; <see langword="null"/> for none.</param>
    /// <param name="cancellationToken">Ends the transfer. Pass the token of the handler.</param>
    /// <returns>The final progress.</returns>
    /// <remarks>
    /// The part is kept only if the file begins with it: both sides compare its SHA-256 hash. A later transfer to the same path in this process waits until this one has ended. If the same peer sends it, it ends this one.
    /// </remarks>
    /// <exception cref="FileTransferException">Thrown when the transfer failed, with the number of received bytes.</exception>
    /// <exception cref="IOException">Thrown when the file cannot be created or replaced.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled.</exception>
    public Task<TransferProgress> SaveAsync(string path, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(path);
        return NoteAsync(FileReceiver.ReceiveAsync(From, _offer, path, progress, cancellationToken));
    }

    /// <summary>Receives the file to a stream.</summary>
    /// <param name="destination">The stream, which the caller owns. The contents of a stream that can read and seek are taken as the part of the file that is already there; contents that differ are removed.</param>
    /// <param name="progress">Receives the progress after each block; <see langword="null"/> for none.</param>
    /// <param name="cancellationToken">Ends the transfer. Pass the token of the handler.</param>
    /// <returns>The final progress.</returns>
    /// <exception cref="FileTransferException">Thrown when the transfer failed, with the number of received bytes.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled.</exception>
    public Task<TransferProgress> SaveAsync(Stream destination, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return NoteAsync(FileReceiver.ReceiveAsync(From, _offer, destination, progress, cancellationToken));
    }

    private async Task<TransferProgress> NoteAsync(Task<TransferProgress> receiving)
    {
        try
        {
            var received = await receiving.ConfigureAwait(false);
            IsSaved = true;
            return received;
        }
        catch (Exception e)
        {
            Refusal = FileRefusedException.Describe(e);
            throw;
        }
    }
}
