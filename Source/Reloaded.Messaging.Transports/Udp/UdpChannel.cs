using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A connection over datagrams. Each send chooses how its frames are delivered.</summary>
internal sealed partial class UdpChannel : TransportChannel
{
    private static readonly TimeSpan s_acknowledgementDelay = TimeSpan.FromMilliseconds(20);

    private readonly IDatagramPort _port;
    private readonly ulong _id;
    private readonly SessionKeys? _keys;
    private readonly UdpOptions _options;
    private readonly DatagramCounters _counts;
    private readonly int _room;
    private readonly DatagramInbox _inbox = new();
    private readonly ReliableSender _sender;
    private readonly ReliableReceiver _receiver;
    private readonly FragmentAssembler? _fragments;
    private readonly OneShotTimer? _fragmentTimer;
    private readonly OneShotTimer _acknowledgementTimer;
    private readonly SequencedStreams _streams = new();
    private readonly TimeProvider _time;
    private readonly long _begun;
    private bool _isAcknowledgementSet;
    private uint _lastDivided;
    private long _outdated;
    private int _isClosed;
    private volatile bool _isGone;
    private TransportCloseReason _goneReason = TransportCloseReason.ConnectionLost; // written before _isGone

    public UdpChannel(IDatagramPort port, ulong id, SessionKeys? keys, UdpOptions options, DatagramCounters counts, string remoteName, TimeProvider? time = null)
    {
        time ??= TimeProvider.System;
        (_time, _begun) = (time, time.GetTimestamp());
        _port = port;
        _id = id;
        _keys = keys;
        _options = options;
        _counts = counts;
        RemoteName = remoteName;
        _room = options.MaxDatagramSize - 1 - (keys is null ? DatagramFormat.PlainHeader : DatagramFormat.SealedHeader + TrafficKey.TagSize);
        _sender = new ReliableSender(segment => Send(DatagramPart.Segment, default, segment.Span), counts, time);
        _receiver = new ReliableReceiver(_inbox);
        _acknowledgementTimer = new OneShotTimer(time, AcknowledgeNow, counts.CountFailure);
        var divided = options.MaxFragments == 1 ? _room : (_room - FragmentAssembler.HeaderSize) * options.MaxFragments;
        MaxMessageSize = divided - UVarint.SizeOf((uint)divided) - SequencedStreams.HeaderSize; // the same limit for every delivery
        if (options.MaxFragments == 1)
            return;
        _fragments = new FragmentAssembler(options, counts);
        _fragmentTimer = new OneShotTimer(time, GiveUpFragments, counts.CountFailure);
    }

    public override string RemoteName { get; }

    public override string? RemoteIdentity => Identity;

    /// <summary>The identity of the other machine, or <see langword="null"/> if the other side is on this machine.</summary>
    public string? Identity { get; init; }

    public override int MaxMessageSize { get; }

    private bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    public override string MaxMessageSizeAdvice => _options.MaxFragments == 1
        ? "Send less at a time, have UdpOptions.MaxFragments divide it, or use TCP."
        : $"Send less at a time, raise UdpOptions.MaxFragments from {_options.MaxFragments}, or use TCP.";

    public override bool UsesDelivery => true;

    /// <remarks>Only protected datagrams have numbers.</remarks>
    public override double? LossShare => _keys?.Opener.GetMissingShare();

    public override long OutdatedDatagrams => Interlocked.Read(ref _outdated);

    public override int? LostFrames => _sender.UnconfirmedFrames;

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        if (frames.IsEmpty)
            return default;
        ThrowIfClosed();
        if (delivery.Mode == DeliveryMode.ReliableOrdered)
            return SendReliablyAsync(frames, delivery.IsBarrier, cancellationToken);
        var isSequenced = delivery.Mode == DeliveryMode.Sequenced;
        Span<byte> header = stackalloc byte[SequencedStreams.HeaderSize];
        header = isSequenced ? header : default;
        var room = _room - header.Length;
        while (frames.Length > 0)
        {
            ThrowIfClosed();
            var part = frames.Span.Slice(0, DatagramPacker.Cut(frames.Span, room, out _));
            frames = frames.Slice(part.Length);
            if (isSequenced)
                _streams.WriteHeader(header, delivery.Stream);
            if (part.Length <= room)
                Send(isSequenced ? DatagramPart.Sequenced : DatagramPart.Frames, header, part);
            else
                SendDivided(isSequenced ? DatagramPart.SequencedFragment : DatagramPart.Fragment, header, part);
        }

        return default;
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => _inbox.ReceiveAsync(buffer, cancellationToken);

    public override void Abort() => Close();

    public override ValueTask DisposeAsync()
    {
        Close();
        return default;
    }

    /// <summary>Informs the other side that this side has the keys.</summary>
    public void Confirm() => Send(DatagramPart.Confirmation, default, default);

    /// <summary>Ends the connection. Later sends and receives throw an exception with the reason.</summary>
    public void Fail(TransportCloseReason reason, string message)
    {
        _goneReason = reason;
        _isGone = true;
        _inbox.Fail(new TransportClosedException(reason, message));
        _sender.Close();
    }

    /// <summary>Acknowledges the received segments, unless that has happened already.</summary>
    private void Acknowledge()
    {
        Span<byte> acknowledgement = stackalloc byte[ReliableReceiver.AcknowledgementSize];
        lock (_receiver)
        {
            if (!_receiver.OwesAcknowledgement)
                return;
            _receiver.WriteAcknowledgement(acknowledgement);
        }

        Send(DatagramPart.Acknowledgement, default, acknowledgement);
    }

    private void AcknowledgeNow()
    {
        lock (_receiver)
        {
            _isAcknowledgementSet = false;
            if (IsClosed || _isGone)
                return;
        }

        Acknowledge();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendReliablyAsync(ReadOnlyMemory<byte> frames, bool isBarrier, CancellationToken cancellationToken)
    {
        await _sender.SendAsync(frames, _room - ReliableSender.HeaderSize, isBarrier, cancellationToken).ConfigureAwait(false);
        ThrowIfClosed();
    }

    private void SendDivided(DatagramPart part, ReadOnlySpan<byte> start, ReadOnlySpan<byte> frame)
    {
        var size = _room - FragmentAssembler.HeaderSize;
        var total = start.Length + frame.Length;
        var count = (total + size - 1) / size;
        if (count > _options.MaxFragments)
        {
            _counts.CountDropped(DatagramDropReason.TooLarge);
            return;
        }

        var whole = ArrayPool<byte>.Shared.Rent(total);
        start.CopyTo(whole);
        frame.CopyTo(whole.AsSpan(start.Length));
        Span<byte> header = stackalloc byte[FragmentAssembler.HeaderSize];
        BinaryPrimitives.WriteUInt32LittleEndian(header, ++_lastDivided);
        header[sizeof(uint) + 1] = (byte)count;
        for (var i = 0; i < count; i++)
        {
            header[sizeof(uint)] = (byte)i;
            Send(part, header, whole.AsSpan(i * size, Math.Min(size, total - (i * size))));
        }

        ArrayPool<byte>.Shared.Return(whole, clearArray: true);
    }

    private void Send(DatagramPart part, ReadOnlySpan<byte> header, ReadOnlySpan<byte> body)
    {
        var datagram = ArrayPool<byte>.Shared.Rent(_options.MaxDatagramSize);
        var size = Write(datagram, part, header, body);
        if (size > 0)
            _port.Send(datagram.AsSpan(0, size));
        ArrayPool<byte>.Shared.Return(datagram);
    }

    private int Write(Span<byte> datagram, DatagramPart part, ReadOnlySpan<byte> start, ReadOnlySpan<byte> body)
    {
        var header = _keys is null ? DatagramFormat.PlainHeader : DatagramFormat.SealedHeader;
        BinaryPrimitives.WriteUInt64LittleEndian(datagram.Slice(1), _id);
        var plain = datagram.Slice(header, 1 + start.Length + body.Length);
        plain[0] = (byte)part;
        start.CopyTo(plain.Slice(1));
        body.CopyTo(plain.Slice(1 + start.Length));
        datagram[0] = _keys is null ? DatagramFormat.Plain : DatagramFormat.Sealed;
        if (_keys is null)
            return header + plain.Length;

        var epoch = _keys.Sealer.Seal(plain, datagram.Slice(header, plain.Length + TrafficKey.TagSize), out var number);
        if (epoch < 0)
        {
            plain.Clear(); // the plaintext is in rented memory
            return 0;
        }

        datagram[DatagramFormat.PlainHeader] = (byte)epoch;
        BinaryPrimitives.WriteUInt64LittleEndian(datagram.Slice(DatagramFormat.PlainHeader + 1), number);
        return header + plain.Length + TrafficKey.TagSize;
    }

    private void ThrowIfClosed()
    {
        if (_isGone || IsClosed)
            throw _isGone ? new TransportClosedException(_goneReason, $"{RemoteName} has closed the connection. Connect again.") : new TransportClosedException($"The connection to {RemoteName} was closed on this side. Connect again.");
    }

    /// <summary>Sends the close three times, because it is not acknowledged, and frees all resources.</summary>
    private void Close()
    {
        if (Interlocked.Exchange(ref _isClosed, 1) != 0)
            return;
        if (!_isGone)
            Acknowledge(); // the other side counts segments without an acknowledgement as lost
        for (var i = 0; i < 3 && !_isGone; i++)
            Send(DatagramPart.Close, default, default);
        _inbox.Fail(new TransportClosedException($"The connection to {RemoteName} was closed on this side. Connect again."));
        _sender.Close();
        _fragmentTimer?.Stop();
        _acknowledgementTimer.Stop();
        ForgetParts();
        _port.Release(this);
        _keys?.Dispose();
    }
}

/// <summary>Sends the datagrams of a connection, through a private socket or a shared socket. Thread-safe.</summary>
internal interface IDatagramPort
{
    /// <summary>Sends a datagram. A datagram that cannot be sent is dropped.</summary>
    void Send(ReadOnlySpan<byte> datagram);

    /// <summary>Releases the port, because the connection has ended. Nothing more is sent.</summary>
    void Release(UdpChannel channel);
}

/// <summary>Numbers the sequenced datagrams of each stream, and recognizes received datagrams that are not newer than the newest one of their stream. One thread may send while another thread receives.</summary>
internal sealed class SequencedStreams
{
    /// <summary>The number of the stream, and the number of the datagram in the stream.</summary>
    public const int HeaderSize = 1 + sizeof(uint);

    private const int Streams = 256;

    private uint[]? _sending;
    private uint[]? _receiving;

    /// <summary>Writes the header of the next datagram of a stream.</summary>
    public void WriteHeader(Span<byte> destination, byte stream)
    {
        _sending ??= new uint[Streams];
        destination[0] = stream;
        BinaryPrimitives.WriteUInt32LittleEndian(destination.Slice(1), _sending[stream]);
        _sending[stream] = unchecked(_sending[stream] + 1);
    }

    /// <summary>Returns whether a datagram is older than the newest one of its stream, or is a duplicate of it. Otherwise, it becomes the newest one.</summary>
    /// <param name="header">The header of the received datagram.</param>
    public bool IsOutdated(ReadOnlySpan<byte> header)
    {
        _receiving ??= new uint[Streams];
        ref var next = ref _receiving[header[0]];
        var number = BinaryPrimitives.ReadUInt32LittleEndian(header.Slice(1));
        if (unchecked((int)(number - next)) < 0)
            return true;
        next = unchecked(number + 1);
        return false;
    }
}
