using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A connection over datagrams. Only the first and last frames of a connection are delivered reliably and in order.</summary>
internal sealed partial class UdpChannel : TransportChannel
{
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
    private readonly ITimer? _fragmentTimer;
    private readonly CancellationTokenSource _closed = new();
    private uint _lastDivided;
    private int _isClosed;
    private volatile bool _isGone;
    private TransportCloseReason _goneReason = TransportCloseReason.ConnectionLost; // written before _isGone

    public UdpChannel(IDatagramPort port, ulong id, SessionKeys? keys, UdpOptions options, DatagramCounters counts, string remoteName, TimeProvider? time = null)
    {
        time ??= TimeProvider.System;
        _port = port;
        _id = id;
        _keys = keys;
        _options = options;
        _counts = counts;
        RemoteName = remoteName;
        _room = options.MaxDatagramSize - 1 - (keys is null ? DatagramFormat.PlainHeader : DatagramFormat.SealedHeader + TrafficKey.TagSize);
        _sender = new ReliableSender(time);
        _receiver = new ReliableReceiver(_inbox);
        MaxMessageSize = options.MaxFragments == 1
            ? _room - UVarint.SizeOf((uint)_room)
            : ((_room - FragmentAssembler.HeaderSize) * options.MaxFragments) - UVarint.SizeOf((uint)(_room * options.MaxFragments));
        if (options.MaxFragments == 1)
            return;
        _fragments = new FragmentAssembler(options, counts, time);
        _fragmentTimer = time.CreateTimer(static self => ((UdpChannel)self!).GiveUpFragments(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
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

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        if (frames.IsEmpty)
            return default;
        ThrowIfClosed();
        if (delivery == Delivery.Reliable)
            return new ValueTask(SendInOrderAsync(frames, cancellationToken));
        while (frames.Length > 0)
        {
            ThrowIfClosed();
            var part = frames.Span.Slice(0, DatagramPacker.Cut(frames.Span, _room));
            frames = frames.Slice(part.Length);
            if (part.Length <= _room)
                Send(DatagramPart.Frames, part);
            else
                SendDivided(part);
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
    public void Confirm() => Send(DatagramPart.Confirmation, default);

    /// <summary>Ends the connection. Later sends and receives throw an exception with the reason.</summary>
    public void Fail(TransportCloseReason reason, string message)
    {
        _goneReason = reason;
        _isGone = true;
        _inbox.Fail(new TransportClosedException(reason, message));
        _ = _closed.CancelAsync();
    }

    private void Acknowledge()
    {
        Span<byte> acknowledgement = stackalloc byte[ReliableReceiver.AcknowledgementSize];
        _receiver.WriteAcknowledgement(acknowledgement);
        Send(DatagramPart.Acknowledgement, acknowledgement);
    }

    private async Task SendInOrderAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _closed.Token);
        try
        {
            await _sender.SendAsync(frames, _room - ReliableSender.HeaderSize, segment => Send(DatagramPart.Segment, segment.Span), either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            ThrowIfClosed();
        }
    }

    private void SendDivided(ReadOnlySpan<byte> frame)
    {
        var size = _room - FragmentAssembler.HeaderSize;
        var count = (frame.Length + size - 1) / size;
        if (count > _options.MaxFragments)
        {
            _counts.CountDropped(DatagramDropReason.TooLarge);
            return;
        }

        var message = ++_lastDivided;
        var fragment = ArrayPool<byte>.Shared.Rent(_room);
        for (var i = 0; i < count; i++)
        {
            var part = frame.Slice(i * size);
            part = part.Slice(0, Math.Min(part.Length, size));
            BinaryPrimitives.WriteUInt32LittleEndian(fragment, message);
            fragment[sizeof(uint)] = (byte)i;
            fragment[sizeof(uint) + 1] = (byte)count;
            part.CopyTo(fragment.AsSpan(FragmentAssembler.HeaderSize));
            Send(DatagramPart.Fragment, fragment.AsSpan(0, FragmentAssembler.HeaderSize + part.Length));
        }

        ArrayPool<byte>.Shared.Return(fragment, clearArray: true);
    }

    private void Send(DatagramPart part, ReadOnlySpan<byte> body)
    {
        var datagram = ArrayPool<byte>.Shared.Rent(_options.MaxDatagramSize);
        var size = Write(datagram, part, body);
        if (size > 0)
            _port.Send(datagram.AsSpan(0, size));
        ArrayPool<byte>.Shared.Return(datagram);
    }

    private int Write(Span<byte> datagram, DatagramPart part, ReadOnlySpan<byte> body)
    {
        var header = _keys is null ? DatagramFormat.PlainHeader : DatagramFormat.SealedHeader;
        BinaryPrimitives.WriteUInt64LittleEndian(datagram.Slice(1), _id);
        var plain = datagram.Slice(header, 1 + body.Length);
        plain[0] = (byte)part;
        body.CopyTo(plain.Slice(1));
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
        for (var i = 0; i < 3 && !_isGone; i++)
            Send(DatagramPart.Close, default);
        _inbox.Fail(new TransportClosedException($"The connection to {RemoteName} was closed on this side. Connect again."));
        _ = _closed.CancelAsync();
        _fragmentTimer?.Dispose();
        ForgetParts();
        _port.Release(this);
        _keys?.Dispose();
    }
}
