using System.IO;

namespace Reloaded.Messaging.Hosting;

/// <summary>Transfers of files and other large data between hosts, in blocks. A transfer that was interrupted continues where it ended.</summary>
/// <remarks>A transfer holds at most four blocks of 128 KiB on each side, besides the bytes that wait to be sent. The library never uses a name from a peer as a path.</remarks>
public static class FileTransfers
{
    /// <summary>Registers the handler of files that peers send. A host has one such handler.</summary>
    /// <param name="host">The host.</param>
    /// <param name="handler">
    /// Saves the file by <see cref="FileOffer.SaveAsync(string, IProgress{TransferProgress}?, CancellationToken)"/>, or throws a <see cref="RequestFaultException"/> to refuse it: the sender receives the code and the text.
    /// The sender's call completes when the handler has completed. The token is canceled when the sender cancels or disconnects.
    /// </param>
    /// <returns>The registration. Dispose to refuse further files.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the host has such a handler.</exception>
    public static HandlerRegistration OnFile(this MessageHost host, Func<FileOffer, CancellationToken, Task> handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(handler);
        var table = StreamTable.Of(host);
        return host.Contracts.Register(
            FileContracts.Offered,
            FileContracts.Received,
            () => host.Handlers.OnRequest<FileOffered, FileReceived>(FileContracts.Offered, FileContracts.Received, ReceiveAsync));

        async ValueTask<FileReceived> ReceiveAsync(FileOffered offered, Peer peer, CancellationToken cancellationToken)
        {
            var offer = new FileOffer(peer, offered);
            table.Enter(peer);
            try
            {
                await handler(offer, cancellationToken).ConfigureAwait(false);
                return offer.IsSaved
                    ? new FileReceived(offered.Length)
                    : throw new InvalidOperationException("The handler of OnFile returned without the file. Await FileOffer.SaveAsync, or throw a RequestFaultException to refuse the file.");
            }
            catch (Exception e) when (offer.Refusal is not null && e is not RequestFaultException)
            {
                host.Events.ReportFailure(peer, LibraryTypes.FileOffered, e);
                throw offer.Refusal;
            }
            finally
            {
                table.Leave(peer);
            }
        }
    }

    /// <summary>Registers the handler of requests for files. A host has one such handler.</summary>
    /// <param name="host">The host.</param>
    /// <param name="handler">
    /// Opens the file of a name that the peer requests. The name is untrusted: do not use it as a path. The returned stream can read and seek, and is disposed after the transfer. It must not be changed meanwhile.
    /// A <see cref="RequestFaultException"/> refuses the request: the peer receives the code and the text.
    /// </param>
    /// <returns>The registration. Dispose to refuse further requests; transfers that have begun continue.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the host has such a handler.</exception>
    public static HandlerRegistration OnFileRequest(this MessageHost host, Func<string, Peer, Stream> handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(handler);
        var sender = FileSender.Of(host);
        return host.OnRequest(FileContracts.Wanted, FileContracts.Found, (in FileWanted wanted, Peer peer) => sender.Offer(peer, wanted.Name, handler(wanted.Name, peer)));
    }

    /// <summary>Sends a file, and waits until the handler of the remote side has saved it.</summary>
    /// <param name="peer">The receiver.</param>
    /// <param name="path">The path of the file. Other programs can read the file during the transfer, and on Windows not write it.</param>
    /// <param name="name">The name that the receiver sees; <see langword="null"/> for the name of the file, without its folder.</param>
    /// <param name="progress">Receives the progress after each block; <see langword="null"/> for none.</param>
    /// <param name="cancellationToken">Ends the transfer.</param>
    /// <returns>The final progress.</returns>
    /// <inheritdoc cref="SendFileAsync(Peer, Stream, string, IProgress{TransferProgress}?, CancellationToken)"/>
    public static Task<TransferProgress> SendFileAsync(this Peer peer, string path, string? name = null, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        SendAsync(path, source => peer.SendFileAsync(source, name ?? Path.GetFileName(path), progress, cancellationToken));

    /// <summary>Sends the bytes of a stream as a file, and waits until the handler of the remote side has saved it.</summary>
    /// <param name="peer">The receiver.</param>
    /// <param name="source">The bytes, which can be read and can seek. All of them are sent. The caller owns the stream and does not use it during the call.</param>
    /// <param name="name">The name that the receiver sees.</param>
    /// <param name="progress">Receives the progress after each block; <see langword="null"/> for none.</param>
    /// <param name="cancellationToken">Ends the transfer.</param>
    /// <returns>The final progress.</returns>
    /// <remarks>The transfer has no timeout. If the receiver has a part of the file, the transfer continues after this part.</remarks>
    /// <exception cref="RequestFaultException">Thrown when the receiver refused the file, or has no handler for files.</exception>
    /// <exception cref="RequestFailedException">Thrown when the peer disconnected before the first byte.</exception>
    /// <exception cref="FileTransferException">Thrown when the transfer failed later. It has the number of bytes that were sent, and the cause as its inner exception.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled.</exception>
    public static Task<TransferProgress> SendFileAsync(this Peer peer, Stream source, string name, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(name);
        CheckSource(source);
        return FileSender.Of(peer.Host).SendAsync(peer, source, name, progress, cancellationToken);
    }

    /// <summary>Sends a file to the server. With <see cref="MessageHostOptions.Reconnect"/>, the transfer continues after each new connection.</summary>
    /// <inheritdoc cref="SendFileAsync(Peer, string, string?, IProgress{TransferProgress}?, CancellationToken)"/>
    public static Task<TransferProgress> SendFileAsync(this MessageClient client, string path, string? name = null, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        SendAsync(path, source => client.SendFileAsync(source, name ?? Path.GetFileName(path), progress, cancellationToken));

    /// <summary>Sends the bytes of a stream to the server as a file. With <see cref="MessageHostOptions.Reconnect"/>, the transfer continues after each new connection.</summary>
    /// <inheritdoc cref="SendFileAsync(Peer, Stream, string, IProgress{TransferProgress}?, CancellationToken)"/>
    public static Task<TransferProgress> SendFileAsync(this MessageClient client, Stream source, string name, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        CheckSource(source);
        return TransferRetry.RunAsync(client, server => server.SendFileAsync(source, name, progress, cancellationToken), cancellationToken);
    }

    /// <summary>Receives a file of the remote side to a path. Continues an earlier transfer to the path that was interrupted.</summary>
    /// <param name="peer">The sender.</param>
    /// <param name="name">The name of the file, for the handler of the remote side.</param>
    /// <param name="path">The path. An existing file is replaced when all bytes have arrived. Until then, the bytes are in a file <c>.reloaded-*.part</c> of the same folder, which stays after a failure. Such a name is refused as the path.</param>
    /// <param name="progress">Receives the progress after each block; <see langword="null"/> for none.</param>
    /// <param name="cancellationToken">Ends the transfer.</param>
    /// <returns>The final progress.</returns>
    /// <remarks>The part is kept only if the file begins with it: both sides compare its SHA-256 hash. The remote side opens the file within <see cref="MessageHostOptions.RequestTimeout"/>. Afterwards, the transfer fails when nothing arrives for 30 s.</remarks>
    /// <exception cref="RequestFaultException">Thrown when the remote side refused the request, or has no handler for such requests.</exception>
    /// <exception cref="RequestFailedException">Thrown when the peer disconnected before the file was opened.</exception>
    /// <exception cref="FileTransferException">Thrown when the transfer failed later, with the number of received bytes and the cause as its inner exception.</exception>
    /// <exception cref="TimeoutException">Thrown when the remote side did not open the file in time.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled.</exception>
    public static Task<TransferProgress> ReceiveFileAsync(this Peer peer, string name, string path, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(path);
        return ReceiveAsync(peer, name, offer => FileReceiver.ReceiveAsync(peer, offer, path, progress, cancellationToken), cancellationToken);
    }

    /// <summary>Receives a file of the remote side to a stream.</summary>
    /// <param name="peer">The sender.</param>
    /// <param name="name">The name of the file, for the handler of the remote side.</param>
    /// <param name="destination">The stream, which the caller owns. The contents of a stream that can read and seek are taken as the part of the file that is already there; contents that differ are removed.</param>
    /// <param name="progress">Receives the progress after each block; <see langword="null"/> for none.</param>
    /// <param name="cancellationToken">Ends the transfer.</param>
    /// <returns>The final progress.</returns>
    /// <inheritdoc cref="ReceiveFileAsync(Peer, string, string, IProgress{TransferProgress}?, CancellationToken)"/>
    public static Task<TransferProgress> ReceiveFileAsync(this Peer peer, string name, Stream destination, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return ReceiveAsync(peer, name, offer => FileReceiver.ReceiveAsync(peer, offer, destination, progress, cancellationToken), cancellationToken);
    }

    /// <summary>Receives a file of the server to a path. With <see cref="MessageHostOptions.Reconnect"/>, the transfer continues after each new connection.</summary>
    /// <inheritdoc cref="ReceiveFileAsync(Peer, string, string, IProgress{TransferProgress}?, CancellationToken)"/>
    public static Task<TransferProgress> ReceiveFileAsync(this MessageClient client, string name, string path, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return TransferRetry.RunAsync(client, server => server.ReceiveFileAsync(name, path, progress, cancellationToken), cancellationToken);
    }

    private static async Task<TransferProgress> ReceiveAsync(Peer peer, string name, Func<FileOffered, Task<TransferProgress>> receive, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(name);
        var offer = await peer.RequestAsync(FileContracts.Wanted, FileContracts.Found, new FileWanted(name), null, cancellationToken).ConfigureAwait(false);
        return await receive(new FileOffered(offer.Number, offer.Length, name)).ConfigureAwait(false);
    }

    private static async Task<TransferProgress> SendAsync(string path, Func<Stream, Task<TransferProgress>> send)
    {
        var source = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 1);
        await using (source.ConfigureAwait(false))
            return await send(source).ConfigureAwait(false);
    }

    private static void CheckSource(Stream source)
    {
        ArgumentNullException.ThrowIfNull(source);
        if (!source.CanSeek || !source.CanRead)
            throw new ArgumentException("The stream cannot be read or cannot seek, so its length is unknown and a transfer cannot continue. Copy it to a MemoryStream or a file, or send its contents as a stream of messages.", nameof(source));
    }
}

/// <summary>Repeats a transfer of a client that reconnects.</summary>
internal static class TransferRetry
{
    /// <summary>Runs a transfer until it ends for another reason than a lost connection.</summary>
    public static async Task<TransferProgress> RunAsync(MessageClient client, Func<Peer, Task<TransferProgress>> transfer, CancellationToken cancellationToken)
    {
        while (true)
        {
            var server = client.Server;
            try
            {
                return await transfer(server).ConfigureAwait(false);
            }
            catch (Exception e) when (client.Options.Reconnect is not null && IsLostConnection(e))
            {
                if (server.Connection.State == ConnectionState.Closing) // it is still connected, and sends nothing
                    await server.Connection.WaitForEndAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                await client.WaitForConnectionAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private static bool IsLostConnection(Exception failure) =>
        (failure is FileTransferException ? failure.InnerException : failure) is RequestFailedException { Status: RequestStatus.Disconnected or RequestStatus.NotSent };
}
