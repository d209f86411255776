using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Sends files, and answers receivers that report which part of a file they have.</summary>
internal sealed class FileSender
{
    private static readonly ConditionalWeakTable<MessageHost, FileSender> s_senders = [];

    private readonly StreamTable _table;
    private readonly ConditionalWeakTable<Peer, SemaphoreSlim> _hashing = []; // a peer cannot occupy the thread pool with hashes of many files

    private FileSender(MessageHost host)
    {
        _table = StreamTable.Of(host);
        host.Contracts.Register(FileContracts.Start, FileContracts.Started, () => host.Handlers.OnRequest<FileStart, FileStarted>(FileContracts.Start, FileContracts.Started, StartAsync));
    }

    /// <summary>Returns the sender of a host, and creates it at the first call.</summary>
    public static FileSender Of(MessageHost host) => s_senders.GetValue(host, static host => new FileSender(host));

    /// <summary>Sends a file, and waits until the remote side has received it.</summary>
    public async Task<TransferProgress> SendAsync(Peer peer, Stream source, string name, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        peer.ThrowIfUnreliable();
        var file = new OutgoingFile(peer, source, progress, ownsSource: false);
        _table.Add(file);
        try
        {
            var offer = new FileOffered(file.Number, file.Length, name);
            await peer.RequestAsync(FileContracts.Offered, FileContracts.Received, in offer, StreamContracts.NoTimeout, cancellationToken).ConfigureAwait(false);
            return file.Progress;
        }
        catch (Exception e) when (e is RequestFaultException or RequestFailedException && file.Progress.Transferred > 0)
        {
            throw FileTransferException.Of(name, file.Progress, e);
        }
        finally
        {
            await file.CloseAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Publishes a file that a peer has requested.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="name">The requested name.</param>
    /// <param name="source">The file. It is disposed at the end of the transfer.</param>
    public FileOffered Offer(Peer peer, string name, Stream source)
    {
        var file = new OutgoingFile(peer, source, null, ownsSource: true);
        try
        {
            _table.AddOpened(file);
        }
        catch
        {
            file.Dispose();
            throw;
        }

        return new FileOffered(file.Number, file.Length, name);
    }

    private async ValueTask<FileStarted> StartAsync(FileStart part, Peer peer, CancellationToken cancellationToken)
    {
        if (_table.Find(part.Number, peer) is not OutgoingFile file)
            throw RequestFaultException.OfLibrary(FaultCode.InvalidRequest, $"No file with the number {part.Number} is being sent.");
        if (!file.TryBegin())
            throw RequestFaultException.OfLibrary(FaultCode.InvalidRequest, $"The file with the number {part.Number} has begun. Report the part of a file once, before the first request for a block.");
        try
        {
            var hashing = _hashing.GetValue(peer, static _ => new SemaphoreSlim(1, 1));
            await file.EnterHashingAsync(hashing).ConfigureAwait(false);
            try
            {
                return new FileStarted(await file.StartAsync(part).ConfigureAwait(false));
            }
            finally
            {
                hashing.Release();
            }
        }
        catch (OperationCanceledException)
        {
            throw RequestFaultException.OfLibrary(FaultCode.Canceled, "The sender has ended the transfer.");
        }
    }
}
