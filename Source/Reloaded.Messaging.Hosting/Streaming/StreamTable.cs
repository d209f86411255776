using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The streams that a host produces, by number. Thread-safe.</summary>
/// <remarks>A host that neither produces streams nor transfers files has no table.</remarks>
internal sealed class StreamTable
{
    private static readonly ConditionalWeakTable<MessageHost, StreamTable> s_tables = [];

    private readonly ConcurrentDictionary<uint, OutgoingStream> _streams = new();
    private readonly Dictionary<Peer, int> _opened = []; // the streams that each peer has opened; also the lock of this dictionary
    private int _lastNumber;

    private StreamTable(MessageHost host)
    {
        _ = host.Contracts.Register(StreamContracts.Pull, StreamContracts.GetBlock(isSecret: false), () => host.Handlers.OnRequest(StreamContracts.Pull, AnswerAsync));
    }

    /// <summary>Returns the table of a host, and creates it at the first call.</summary>
    public static StreamTable Of(MessageHost host) => s_tables.GetValue(host, static host => new StreamTable(host));

    /// <summary>Publishes a stream, so that its peer can pull blocks.</summary>
    public void Add(OutgoingStream stream)
    {
        stream.Number = (uint)Interlocked.Increment(ref _lastNumber);
        Interlocked.Increment(ref stream.Peer.OpenStreams);
        stream.Ended += ended =>
        {
            if (_streams.TryRemove(ended.Number, out _))
                Interlocked.Decrement(ref ended.Peer.OpenStreams);
        };
        _streams[stream.Number] = stream; // last: the peer may guess the number, and close the stream at once
        stream.CloseWithPeer();
    }

    /// <summary>Publishes a stream that its peer has opened.</summary>
    /// <exception cref="RequestFaultException">Thrown when the peer has too many open streams, or when its transport may lose messages.</exception>
    public void AddOpened(OutgoingStream stream)
    {
        Enter(stream.Peer);
        stream.Ended += ended => Leave(ended.Peer);
        Add(stream);
    }

    /// <summary>Counts a stream or transfer that a peer has opened, until <see cref="Leave"/>.</summary>
    /// <exception cref="RequestFaultException">Thrown when the peer has too many open streams, or when its transport may lose messages.</exception>
    public void Enter(Peer peer)
    {
        if (HostStreams.IsUnreliable(peer))
            throw RequestFaultException.OfLibrary(FaultCode.InvalidRequest, HostStreams.DescribeUnreliable(peer));
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
    public OutgoingStream? Find(uint number, Peer peer) => _streams.TryGetValue(number, out var stream) && stream.Peer == peer ? stream : null;

    private ValueTask AnswerAsync(StreamPull pull, MessageContext context)
    {
        if (Find(pull.Number, context.Peer) is { } stream)
            return stream.AnswerAsync(pull.MaxBytes, context);
        if (pull.Number > (uint)Volatile.Read(ref _lastNumber))
            throw RequestFaultException.OfLibrary(FaultCode.InvalidRequest, $"No stream with the number {pull.Number} was opened.");
        context.Reply(StreamContracts.GetBlock(isSecret: false), StreamBlock.End, StreamContracts.Pull.Type); // the stream has ended, and the pull was under way
        return default;
    }
}
