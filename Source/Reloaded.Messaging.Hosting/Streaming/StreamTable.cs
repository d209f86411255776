using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The streams that a host produces, by number. Thread-safe.</summary>
/// <remarks>A host that neither produces streams nor transfers files has no table.</remarks>
internal sealed class StreamTable
{
    /// <summary>Added to the correlation id of a request, for the number of the stream of its items. The numbers of other streams are smaller.</summary>
    public const long ItemsOfRequest = 1L << 32;

    /// <summary>The same for the reports of a request.</summary>
    public const long ReportsOfRequest = 2L << 32;

    private static readonly ConditionalWeakTable<MessageHost, Lazy<StreamTable>> s_tables = [];

    private readonly ConcurrentDictionary<(Peer, long), OutgoingStream> _streams = new();
    private readonly Dictionary<Peer, int> _opened = []; // the streams that each peer has opened; also the lock of this dictionary
    private int _lastNumber;

    private StreamTable(MessageHost host)
    {
        foreach (var contract in (MessageContract<StreamPull>[])[StreamContracts.Pull, StreamContracts.ItemPull, StreamContracts.ReportPull])
            _ = host.Contracts.Register(contract, StreamContracts.GetBlock(isSecret: false), () => host.Handlers.OnRequest(contract, AnswerAsync));
    }

    /// <summary>Returns the table of a host, and creates it at the first call: once, because the handlers that it registers can be registered only once.</summary>
    public static StreamTable Of(MessageHost host) => s_tables.GetValue(host, static host => new(() => new StreamTable(host))).Value;

    /// <summary>Publishes a stream, so that its peer can pull blocks.</summary>
    public void Add(OutgoingStream stream)
    {
        stream.Ended += Remove;
        Add(stream, (uint)Interlocked.Increment(ref _lastNumber));
    }

    /// <summary>Publishes the items of a request that is about to be sent, until <see cref="EndItems"/>.</summary>
    /// <exception cref="RequestFailedException">Thrown when the items of an earlier request with this correlation id are still open. The next request has another id.</exception>
    public void AddItems(OutgoingStream stream, uint correlationId)
    {
        if (_streams.ContainsKey((stream.Peer, ItemsOfRequest + correlationId)))
            throw new RequestFailedException(RequestStatus.Full);
        Add(stream, ItemsOfRequest + correlationId);
    }

    /// <summary>Ends the items of a request that has ended.</summary>
    /// <inheritdoc cref="OutgoingStream.Abort"/>
    public Exception? EndItems(OutgoingStream stream)
    {
        Remove(stream);
        return stream.Abort();
    }

    /// <summary>Publishes a stream that its peer has opened.</summary>
    /// <exception cref="RequestFaultException">Thrown when the peer has too many open streams.</exception>
    public void AddOpened(OutgoingStream stream)
    {
        Enter(stream.Peer);
        stream.Ended += ended => Leave(ended.Peer);
        Add(stream);
    }

    /// <summary>Publishes the stream of a reply, and calls the program's handler, which creates its source.</summary>
    /// <inheritdoc cref="AddOpened"/>
    public StreamOpened Open<T>(ItemStream<T> stream)
    {
        AddOpened(stream);
        try
        {
            stream.Open();
        }
        catch
        {
            stream.Dispose();
            throw;
        }

        return new StreamOpened((uint)stream.Number);
    }

    /// <summary>Counts a stream or transfer that a peer has opened, until <see cref="Leave"/>.</summary>
    /// <exception cref="RequestFaultException">Thrown when the peer has too many open streams.</exception>
    public void Enter(Peer peer)
    {
        var most = peer.Host.Options.Limits.MaxStreams;
        lock (_opened)
        {
            _opened.TryGetValue(peer, out var count);
            if (count >= most)
                throw RequestFaultException.OfLibrary(FaultCode.TooManyStreams, $"This peer has {count} open streams and file transfers; the limit is {most}. Close a stream first.");
            _opened[peer] = count + 1;
        }
    }

    public void Leave(Peer peer)
    {
        lock (_opened)
        {
            if (--_opened[peer] == 0)
                _opened.Remove(peer);
        }
    }

    /// <summary>Returns an open stream of a peer; otherwise, <c>null</c>.</summary>
    public OutgoingStream? Find(long number, Peer peer) => _streams.GetValueOrDefault((peer, number));

    /// <summary>Closes a stream that a peer has opened, and whose number is not sent to it.</summary>
    /// <param name="number">The number.</param>
    /// <param name="peer">The peer.</param>
    public static void CloseUnsent(uint number, object? peer)
    {
        if (peer is Peer opener)
            Of(opener.Host).Find(number, opener)?.Dispose();
    }

    /// <summary>Closes the stream or the reports of a close that is dropped, because no other message of the peer would close them.</summary>
    /// <param name="peer">The peer that sent the request.</param>
    /// <param name="request">The dropped request, which may be any other one.</param>
    public static void CloseDropped(Peer peer, in ReceivedMessage request)
    {
        var type = request.Header.Type;
        if (type is not (LibraryTypes.StreamPull or LibraryTypes.ItemPull or LibraryTypes.ReportPull) || !StreamContracts.Pull.Serializer.TryDeserialize(request.Payload, out var pull) || pull.MaxBytes > 0)
            return;
        if (type == LibraryTypes.ReportPull)
            peer.Reports?.End(pull.Number);
        else if (s_tables.TryGetValue(peer.Host, out var table))
            table.Value.Find(NumberOf(type, pull), peer)?.Dispose();
    }

    /// <summary>Closes the stream or file that a reply opens, because no call of this side reads it. The close is limited as a reply is, because the peer causes it.</summary>
    /// <param name="peer">The peer that sent the reply.</param>
    /// <param name="reply">A reply or fault of another type than its request expected, or of a request that has ended. It may open nothing.</param>
    public static void CloseUnread(Peer peer, in ReceivedMessage reply)
    {
        ref readonly var header = ref reply.Header;
        if (header is { Kind: MessageKind.Reply, Type: LibraryTypes.StreamOpened or LibraryTypes.FileFound } && BinaryPrimitives.TryReadUInt32LittleEndian(reply.Payload, out var number))
            peer.Replies.Send(peer.Connection.Sender.Pack(StreamContracts.Pull, new StreamPull(number, 0), MessageKind.Request, header.CorrelationId), isSecret: false); // nothing waits for the reply
    }

    private static long NumberOf(uint type, StreamPull pull) => type == LibraryTypes.ItemPull ? ItemsOfRequest + pull.Number : pull.Number;

    private void Add(OutgoingStream stream, long number)
    {
        stream.Number = number;
        Interlocked.Increment(ref stream.Peer.OpenStreams);
        stream.Ended += static ended => Interlocked.Decrement(ref ended.Peer.OpenStreams);
        _streams[(stream.Peer, number)] = stream; // last: the peer may guess the number, and close the stream at once
        stream.CloseWithPeer();
    }

    private void Remove(OutgoingStream stream) => _streams.TryRemove((stream.Peer, stream.Number), out _);

    private ValueTask AnswerAsync(StreamPull pull, MessageContext context)
    {
        if (context.Type == LibraryTypes.ReportPull)
        {
            (context.Peer.Reports ??= new RequestReports(context.Peer)).Answer(pull, context);
            return default;
        }

        var (number, maxBytes) = (NumberOf(context.Type, pull), pull.MaxBytes);
        if (Find(number, context.Peer) is { } stream)
            return stream.AnswerAsync(maxBytes, context);
        if (number >= ItemsOfRequest && maxBytes > 0)
        {
            throw context.Peer.Requests.Unanswered.Contains(pull.Number)
                ? RequestFaultException.OfLibrary(FaultCode.InvalidRequest, Fault.WithoutItems)
                : RequestFaultException.OfLibrary(FaultCode.Canceled, "The request has ended.");
        }

        if (number < ItemsOfRequest && number > (uint)Volatile.Read(ref _lastNumber))
            throw RequestFaultException.OfLibrary(FaultCode.InvalidRequest, $"No stream with the number {number} was opened.");
        context.Reply(StreamContracts.GetBlock(isSecret: false), StreamBlock.End, StreamContracts.Pull.Type); // the stream has ended, and the pull was under way
        return default;
    }
}
