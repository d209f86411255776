using System.Buffers.Binary;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>The client side of the handshake. Sends a hello until a cookie arrives, and then sends the cookie until an answer arrives.</summary>
/// <remarks>
/// Any machine on the network path can send a cookie, a refusal, or an acceptance with a wrong proof. With protection, only an acceptance with
/// a correct proof ends the handshake at once. The client counts a refusal or a wrong proof, and repeats its request. It gives up only if no correct
/// acceptance arrives within <see cref="RefusalGrace"/>. A server that accepts answers every repeated request in that time, so a
/// forged refusal succeeds only if all of these answers are lost as well. Without protection nothing is authenticated, and a refusal ends
/// the handshake at once.
/// </remarks>
internal sealed class UdpHandshake(Socket socket, KeyExchange? exchange, DatagramCounters counts, TimeProvider time)
{
    /// <summary>The time for which a refusal must remain the only answer before the handshake fails (1 s).</summary>
    public static readonly TimeSpan RefusalGrace = TimeSpan.FromSeconds(1);

    /// <summary>The requests of the first second. A server that strangers flood loses most datagrams in the buffer of its socket, so a client that asks more often joins sooner.</summary>
    private const int EarlyTries = 10;

    private const int TriesPerCookie = 16;

    private static readonly TimeSpan s_earlyWait = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_laterWait = TimeSpan.FromMilliseconds(500);

    private readonly byte[] _buffer = new byte[2048];
    private long _refusedSince;

    /// <summary>The random bytes of this client, which the answers of the server repeat.</summary>
    public byte[] Random { get; } = RandomNumberGenerator.GetBytes(DatagramFormat.RandomSize);

    /// <summary>The id of the connection, after the server has accepted.</summary>
    public ulong Id { get; private set; }

    /// <summary>The keys of the connection, after the server has accepted; <see langword="null"/> without protection.</summary>
    public SessionKeys? Keys { get; private set; }

    /// <summary>The reason of a refusal, as far as it can be determined; <see langword="null"/> if the server did not refuse.</summary>
    public TransportCloseReason? Refusal { get; private set; }

    /// <summary>Whether the sender of an acceptance did not prove that it is the server.</summary>
    public bool LacksProof { get; private set; }

    /// <summary>Repeats the request until the server answers.</summary>
    /// <returns><see langword="true"/> if the server accepted; <see langword="false"/> if it refused.</returns>
    /// <exception cref="OperationCanceledException">Thrown when no correct answer arrived in time. <see cref="Refusal"/> may be set.</exception>
    public async Task<bool> RunAsync(CancellationToken cancellationToken)
    {
        var hello = new byte[DatagramFormat.HelloSize];
        DatagramFormat.Magic.CopyTo(hello);
        Random.CopyTo(hello, DatagramFormat.Magic.Length);
        var (asking, tries) = (hello, 0);
        while (true)
        {
            if (tries++ == TriesPerCookie)
                (asking, tries) = (hello, 1); // the cookie has expired
            UdpSocket.Send(socket, asking, null);
            var (wait, asked, isNew) = (tries > EarlyTries ? s_laterWait : s_earlyWait, time.GetTimestamp(), false);
            while (!isNew && await ReceiveAsync(wait - time.GetElapsedTime(asked), cancellationToken).ConfigureAwait(false) is > 0 and var size)
            {
                switch (Take(size))
                {
                    case DatagramFormat.Accept:
                        return true;
                    case DatagramFormat.Refuse when exchange is null:
                        return false;
                    case DatagramFormat.Cookie when TryMakeConnect(size, asking) is { } connect:
                        (asking, tries, isNew) = (connect, 0, true);
                        break;
                }
            }

            if (Refusal is not null && time.GetElapsedTime(_refusedSince) > RefusalGrace)
                return false;
        }
    }

    /// <summary>Handles a datagram.</summary>
    /// <returns>The kind of the datagram, if it changes the state; otherwise, 0, and the datagram is counted.</returns>
    private byte Take(int size)
    {
        counts.CountReceived();
        var datagram = _buffer.AsSpan(0, size);
        var kind = Recognize(datagram);
        switch (kind)
        {
            case DatagramFormat.Accept:
                Keys = exchange?.TryFinish(datagram.Slice(DatagramFormat.AcceptHeader));
                Id = BinaryPrimitives.ReadUInt64LittleEndian(datagram.Slice(1 + DatagramFormat.RandomSize));
                if (exchange is null || Keys is not null)
                    return kind;
                LacksProof = true;
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
            _refusedSince = time.GetTimestamp();
        Refusal = refusal;
    }

    /// <summary>Creates the connect request for a cookie. Every new cookie is tried, because an earlier cookie may be forged.</summary>
    /// <returns>The request, or <see langword="null"/> if the cookie is already in use; the datagram is counted then.</returns>
    private byte[]? TryMakeConnect(int size, byte[] asking)
    {
        var carrier = _buffer.AsSpan(1, size - 1);
        byte[] connect = [DatagramFormat.Connect, .. carrier, .. exchange is null ? [] : exchange.MakeOffer(carrier)];
        if (!asking.AsSpan().SequenceEqual(connect))
            return connect;
        counts.CountDropped(DatagramDropReason.DuplicateAnswer);
        return null;
    }

    /// <returns>The kind of the datagram, if it belongs to this handshake and has a valid size; otherwise, 0.</returns>
    private byte Recognize(ReadOnlySpan<byte> datagram)
    {
        if (datagram.Length < 1 + DatagramFormat.RandomSize || !datagram.Slice(1, DatagramFormat.RandomSize).SequenceEqual(Random))
            return 0;
        var size = datagram[0] switch
        {
            DatagramFormat.Cookie => 1 + DatagramFormat.RandomSize + AddressValidator.Size,
            DatagramFormat.Accept => DatagramFormat.AcceptHeader + (exchange?.Settings.AnswerSize ?? 0),
            DatagramFormat.Refuse => Math.Clamp(datagram.Length, DatagramFormat.RefuseSize, DatagramFormat.RefuseSize + 1),
            _ => 0,
        };
        return datagram.Length == size ? datagram[0] : (byte)0;
    }

    /// <returns>The size of a datagram; 0 if no datagram arrived in time.</returns>
    private async ValueTask<int> ReceiveAsync(TimeSpan wait, CancellationToken cancellationToken)
    {
        if (wait <= TimeSpan.Zero)
            return 0;
        using var timeout = new CancellationTokenSource(wait, time);
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token);
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
