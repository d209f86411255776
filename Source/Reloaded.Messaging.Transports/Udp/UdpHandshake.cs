using System;
using System.Buffers.Binary;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>The client's part of a handshake: sends a hello until there is a cookie, then shows the cookie until there is an answer.</summary>
/// <remarks>
/// Anyone on the path can send a cookie, a refusal, or an acceptance with a wrong proof. With protection, only an acceptance with a right
/// proof ends the handshake at once. A refusal or a wrong proof is counted, and the client goes on asking. It gives up only if no right
/// acceptance arrives within <see cref="RefusalGrace"/>. A server that accepts answers every datagram that is sent again in that time, so a
/// forged refusal does harm only if all of these answers are lost as well. Without protection nothing is authenticated, and a refusal ends
/// the handshake at once.
/// </remarks>
internal sealed class UdpHandshake(Socket socket, KeyExchange? exchange, DatagramCounters counts)
{
    /// <summary>How long a refusal has to stay the only answer.</summary>
    public static readonly TimeSpan RefusalGrace = TimeSpan.FromSeconds(1);

    private const int TriesPerCookie = 8;

    private static readonly TimeSpan s_firstWait = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_longestWait = TimeSpan.FromMilliseconds(500);

    private readonly byte[] _buffer = new byte[2048];
    private byte[]? _refused;
    private long _refusedSince;

    /// <summary>The random that the server's answers repeat.</summary>
    public byte[] Random { get; } = RandomNumberGenerator.GetBytes(DatagramFormat.RandomSize);

    /// <summary>The connection's id, once it is accepted.</summary>
    public ulong Id { get; private set; }

    /// <summary>The connection's keys, once it is accepted; <see langword="null"/> without protection.</summary>
    public SessionKeys? Keys { get; private set; }

    /// <summary>Why the server refused, as far as that can be known; <see langword="null"/> if there was no refusal.</summary>
    public TransportCloseReason? Refusal { get; private set; }

    /// <summary>Asks until there is an answer.</summary>
    /// <returns><see langword="true"/> if the server accepted; <see langword="false"/> if it refused.</returns>
    /// <exception cref="OperationCanceledException">There was no right answer in time. There may have been a <see cref="Refusal"/>.</exception>
    public async Task<bool> RunAsync(CancellationToken cancellationToken)
    {
        var hello = new byte[DatagramFormat.HelloSize];
        DatagramFormat.Magic.CopyTo(hello);
        Random.CopyTo(hello, DatagramFormat.Magic.Length);
        var (asking, wait, tries) = (hello, s_firstWait, 0);
        while (true)
        {
            if (tries++ == TriesPerCookie)
                (asking, tries) = (hello, 1); // the cookie is too old by now
            UdpSocket.Send(socket, asking, null);
            var until = Environment.TickCount64 + (long)wait.TotalMilliseconds;
            while (await ReceiveAsync(until, cancellationToken).ConfigureAwait(false) is > 0 and var size)
            {
                switch (Take(size))
                {
                    case DatagramFormat.Accept:
                        return true;
                    case DatagramFormat.Refuse when exchange is null:
                        return false;
                    case DatagramFormat.Cookie when TryMakeConnect(size, asking) is { } connect:
                        (asking, wait, tries, until) = (connect, s_firstWait, 0, 0);
                        break;
                }
            }

            if (until > 0)
                wait = wait + wait < s_longestWait ? wait + wait : s_longestWait;
            if (Refusal is not null && Environment.TickCount64 - _refusedSince > RefusalGrace.TotalMilliseconds)
                return false;
        }
    }

    /// <summary>Tells the server that its acceptance was not believed, if there was one.</summary>
    public void SendRefusal()
    {
        if (_refused is not null)
            UdpSocket.Send(socket, [DatagramFormat.Refuse, .. _refused, DatagramFormat.WrongProtection], null);
    }

    /// <summary>Takes a datagram.</summary>
    /// <returns>Its kind, if it changes something; otherwise, 0. It is counted then.</returns>
    private byte Take(int size)
    {
        counts.CountReceived();
        var datagram = _buffer.AsSpan(0, size);
        var kind = Recognize(datagram);
        switch (kind)
        {
            case DatagramFormat.Accept:
                Keys = exchange?.TryFinish(datagram.Slice(DatagramFormat.AcceptHeader), out _);
                var id = datagram.Slice(1 + DatagramFormat.RandomSize, DatagramFormat.IdSize);
                Id = BinaryPrimitives.ReadUInt64LittleEndian(id);
                if (exchange is null || Keys is not null)
                    return kind;
                _refused = id.ToArray();
                Note(TransportCloseReason.WrongProtection);
                return 0;
            case DatagramFormat.Refuse:
                var isLockedOut = size > DatagramFormat.RefuseSize && datagram[DatagramFormat.RefuseSize] == DatagramFormat.LockedOut;
                Note(isLockedOut ? TransportCloseReason.LockedOut : TransportCloseReason.WrongProtection);
                return kind;
            case 0:
                counts.CountDropped(DatagramDropReason.Malformed);
                return 0;
            default:
                return kind;
        }
    }

    private void Note(TransportCloseReason refusal)
    {
        counts.CountDropped(DatagramDropReason.WrongProtection);
        if (Refusal is null)
            _refusedSince = Environment.TickCount64;
        Refusal = refusal;
    }

    /// <summary>Makes what to ask by a cookie. Each cookie is tried: the first may be forged.</summary>
    /// <returns><see langword="null"/> if the cookie is in use already. It is counted then.</returns>
    private byte[]? TryMakeConnect(int size, byte[] asking)
    {
        byte[] connect = [DatagramFormat.Connect, .. _buffer.AsSpan(1, size - 1), .. exchange is null ? default : exchange.Offer.Span];
        if (!asking.AsSpan().SequenceEqual(connect))
            return connect;
        counts.CountDropped(DatagramDropReason.DuplicateAnswer);
        return null;
    }

    /// <returns>What the datagram is, if it is for this handshake, and of a size that it may have; otherwise 0.</returns>
    private byte Recognize(ReadOnlySpan<byte> datagram)
    {
        if (datagram.Length < 1 + DatagramFormat.RandomSize || !datagram.Slice(1, DatagramFormat.RandomSize).SequenceEqual(Random))
            return 0;
        var size = datagram[0] switch
        {
            DatagramFormat.Cookie => 1 + DatagramFormat.RandomSize + AddressValidator.Size,
            DatagramFormat.Accept => DatagramFormat.AcceptHeader + (exchange is null ? 0 : exchange.Offer.Length + KeyExchange.ProofSize),
            DatagramFormat.Refuse => Math.Clamp(datagram.Length, DatagramFormat.RefuseSize, DatagramFormat.RefuseSize + 1),
            _ => 0,
        };
        return datagram.Length == size ? datagram[0] : (byte)0;
    }

    /// <returns>The size of a datagram; 0 if none came in time.</returns>
    private async ValueTask<int> ReceiveAsync(long until, CancellationToken cancellationToken)
    {
        var left = until - Environment.TickCount64;
        if (left <= 0)
            return 0;
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        waiting.CancelAfter(TimeSpan.FromMilliseconds(left));
        try
        {
            return await socket.ReceiveAsync(_buffer, SocketFlags.None, waiting.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return 0;
        }
    }
}
