using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Threading.Channels;

namespace Reloaded.Messaging;

/// <summary>Accepts UDP connections. All of them share one socket.</summary>
internal sealed partial class UdpListener : TransportListener, IDatagramReceiver
{
    /// <summary>The maximum number of connections that wait to be accepted by the host.</summary>
    private const int MaxWaiting = 1024;

    /// <summary>The maximum number of hellos, repeated requests and wrong offers that the server answers per second, for one source.</summary>
    public const int HellosPerSecond = 256;

    /// <summary>The maximum number of these answers per second, for all sources.</summary>
    public const int HellosOfAllPerSecond = 20_000;

    /// <summary>The maximum number of offers with a valid MAC that the server answers per second, for one source. <see cref="KeyOffers"/> limits the time of the key exchanges of all sources.</summary>
    public const int OffersPerSecond = 64;

    private static readonly TimeSpan s_sweep = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_challengeInterval = TimeSpan.FromMilliseconds(100);

    private readonly Socket _socket;
    private readonly UdpOptions _options;
    private readonly TransportContext _context;
    private readonly ExchangeSettings? _exchange;
    private readonly AddressValidator _cookies;
    private readonly TimeProvider _time;
    private readonly Func<EndPoint, string?> _groupOf;
    private readonly ITimer _timer;
    private readonly ConcurrentDictionary<ulong, UdpSession> _sessions = new();
    private readonly Channel<TransportChannel> _accepted = Channel.CreateBounded<TransportChannel>(MaxWaiting);
    private readonly UnauthenticatedSessions _unauthenticated;
    private readonly SourceRate _hellos;
    private readonly SourceRate _offers;
    private readonly KeyOffers? _exchanges;
    private readonly HeldMemory _held = new();
    private readonly byte[] _scratch;
    private volatile bool _isDisposed;

    private UdpListener(Socket socket, TransportAddress address, UdpOptions options, TransportContext context, ExchangeSettings? exchange, Func<EndPoint, string?> groupOf)
    {
        _socket = socket;
        Address = address;
        _options = options;
        _context = context;
        _exchange = exchange;
        var time = _time = context.TimeProvider;
        _groupOf = groupOf;
        _unauthenticated = new UnauthenticatedSessions(context);
        _cookies = new AddressValidator(time);
        _hellos = new SourceRate(time, HellosPerSecond, HellosOfAllPerSecond);
        _offers = new SourceRate(time, OffersPerSecond, HellosOfAllPerSecond);
        if (exchange is { Options.ExchangesKeys: true })
            _exchanges = new KeyOffers(time, Exchange, Fail);
        _timer = Detached.Start(() => time.CreateTimer(static self => ((UdpListener)self!).Sweep(), this, s_sweep, s_sweep));
        _scratch = new byte[options.BufferSize];
    }

    public override TransportAddress Address { get; }

    public DatagramCounters Counts => _context.Datagrams;

    /// <summary>The number of connections, including unauthenticated connections.</summary>
    public int SessionCount => _sessions.Count;

    /// <summary>The memory of all connections, in bytes.</summary>
    public long HeldBytes => _held.Bytes;

    /// <summary>The memory that all connections may hold together, in bytes. Counting the connections takes locks, so it is read only above the part for no connection.</summary>
    private long MaxHeldBytes => _context.MaxHeldBytes + ((long)_context.HeldBytesOfEach * _sessions.Count);

    /// <summary>Listens at the first IP address of an address.</summary>
    /// <param name="address">The address.</param>
    /// <param name="options">The sizes of datagrams.</param>
    /// <param name="context">The settings that the host passes to the transport.</param>
    /// <param name="groupOf">Returns the identity under which lock-outs count a sender, or <see langword="null"/> for <see cref="AddressGroup.Of(EndPoint)"/>.</param>
    public static UdpListener Listen(TransportAddress address, UdpOptions options, TransportContext context, Func<EndPoint, string?>? groupOf = null)
    {
        var exchange = ExchangeSettings.Prepare(context, isDatagrams: true, isServer: true); // first, because it may throw
        var socket = new Socket(address.FirstEndPoint.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        try
        {
            if (OperatingSystem.IsWindows())
                socket.ExclusiveAddressUse = true;
            UdpSocket.Prepare(socket);
            socket.Bind(address.FirstEndPoint);
            var listener = new UdpListener(socket, address.WithPort(((IPEndPoint)socket.LocalEndPoint!).Port), options, context, exchange, groupOf ?? AddressGroup.Of);
            new DatagramLoop(socket, listener, options.BufferSize).Start();
            return listener;
        }
        catch (Exception e) when (e is not SocketException)
        {
            socket.Dispose();
            throw;
        }
        catch (SocketException e)
        {
            socket.Dispose();
            throw SocketFailure.ListenFailed(address, e);
        }
    }

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        while (await _accepted.Reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
        {
            if (_accepted.Reader.TryRead(out var channel))
                return channel;
        }

        return null;
    }

    public override async ValueTask DisposeAsync()
    {
        _isDisposed = true;
        _accepted.Writer.TryComplete();
        _exchanges?.Complete();
        while (_accepted.Reader.TryRead(out var nobodys))
            await nobodys.DisposeAsync().ConfigureAwait(false);
        foreach (var (_, session) in _sessions)
        {
            if (!session.IsAccepted)
                session.Channel.Abort();
        }

        CloseIfUnused();
    }

    public void Send(ReadOnlySpan<byte> datagram, SocketAddress to) => UdpSocket.Send(_socket, datagram, to);

    /// <summary>Removes a connection that has ended.</summary>
    public void Forget(UdpSession session)
    {
        _sessions.TryRemove(session.Id, out _);
        CloseIfUnused();
    }

    public UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from)
    {
        Counts.CountReceived();
        switch (datagram.IsEmpty ? 0 : datagram[0])
        {
            case DatagramFormat.Plain or DatagramFormat.Sealed when datagram.Length > DatagramFormat.PlainHeader:
                return ReceiveOfConnection(datagram, from);
            case DatagramFormat.Hello when datagram.Length == DatagramFormat.HelloSize && datagram.StartsWith(DatagramFormat.Magic):
                Answer(datagram.Slice(DatagramFormat.Magic.Length, DatagramFormat.RandomSize), from);
                return null;
            case DatagramFormat.Connect when datagram.Length >= DatagramFormat.ConnectSize:
                Connect(datagram, from);
                return null;
            default:
                Counts.CountDropped(DatagramDropReason.Malformed);
                return null;
        }
    }

    public void Fail(Exception exception) => Counts.CountFailure(exception);

    public void Stop(SocketError reason)
    {
        var text = $"The socket of {Address} failed: {reason}.";
        if (!_isDisposed)
            Fail(new TransportClosedException($"{text} The server accepts no further clients. Listen again."));
        foreach (var (_, session) in _sessions)
            session.Channel.Fail(TransportCloseReason.ConnectionLost, text);
        _accepted.Writer.TryComplete();
        _exchanges?.Complete();
    }

    private UdpChannel? ReceiveOfConnection(ReadOnlySpan<byte> datagram, SocketAddress from)
    {
        if (!_sessions.TryGetValue(BinaryPrimitives.ReadUInt64LittleEndian(datagram.Slice(1)), out var session))
        {
            Counts.CountDropped(DatagramDropReason.UnknownConnection);
            return null;
        }

        var isElsewhere = !UdpSocket.AreSame(session.Address, from);
        if (isElsewhere && datagram[0] == DatagramFormat.Plain)
        {
            Counts.CountDropped(DatagramDropReason.WrongAddress);
            return null;
        }

        var completes = session.Channel.Take(datagram, _scratch, out var isTheirs);
        if (isTheirs && !session.IsAccepted)
            TryAccept(session);
        if (isTheirs && isElsewhere)
            Follow(session, from, datagram.Length);
        while (_held.Bytes > _context.MaxHeldBytes && _held.Bytes > MaxHeldBytes && TryEndLargest())
        {
        }

        return completes ? session.Channel : null;
    }

    /// <summary>Ends the connection that holds the most memory: the bytes of the others can still arrive and be read.</summary>
    private bool TryEndLargest()
    {
        UdpSession? largest = null;
        foreach (var (_, session) in _sessions)
        {
            if (session.Channel.HeldBytes > (largest?.Channel.HeldBytes ?? 0))
                largest = session;
        }

        if (largest is not null)
            End(largest, TransportCloseReason.NotReading, $"{largest.Channel.RemoteName} held the most memory when all UDP connections held more than {MaxHeldBytes >> 20} MiB. Connect again, and read and acknowledge what arrives.");
        return largest is not null;
    }

    /// <summary>Follows a client to another address, as in RFC 9000, section 9. An authentic datagram alone does not move a connection: anyone on the path can send a copy of it from another address.</summary>
    /// <param name="session">The connection.</param>
    /// <param name="from">The other address.</param>
    /// <param name="received">The size of the datagram, in bytes. It bounds the answer, because the address may be forged.</param>
    private void Follow(UdpSession session, SocketAddress from, int received)
    {
        var isAsked = session.Challenge is { } asked && UdpSocket.AreSame(asked.Address, from);
        if (isAsked && session.Channel.Response == session.Challenge!.Value)
        {
            session.Move(session.Challenge.Address);
            return;
        }

        if (received < UdpChannel.MaxChallengeSize || !session.Channel.IsNewest) // an old datagram took another way
            return;
        if (session.ChallengedAt is { } last && _time.GetElapsedTime(last) < s_challengeInterval)
            return;
        if (!isAsked)
            session.Challenge = new AddressChallenge(UdpSocket.Copy(from));
        session.ChallengedAt = _time.GetTimestamp();
        Span<byte> datagram = stackalloc byte[UdpChannel.MaxChallengeSize];
        if (session.Channel.WriteChallenge(datagram, session.Challenge!.Value) is > 0 and var size)
            Send(datagram.Slice(0, size), from);
    }

    private void CloseIfUnused()
    {
        Interlocked.MemoryBarrier(); // the thread that disposes sees that the last connection is removed, or the thread that removes it sees the flag
        if (!_isDisposed || !_sessions.IsEmpty)
            return;
        _timer.Dispose();
        _cookies.Dispose();
        _socket.Dispose();
    }
}

/// <summary>A connection of the listener's socket: its address and its state.</summary>
internal sealed class UdpSession(UdpListener listener, ulong id, SocketAddress address, string source, byte[] accept, long since) : IDatagramPort
{
    public ulong Id => id;

    /// <summary>The address of the client: the one from which the connection was opened, or one that has answered a challenge.</summary>
    public SocketAddress Address => Volatile.Read(ref _address);

    /// <summary>The challenge that another address has not answered yet. Only the thread that receives uses it.</summary>
    public AddressChallenge? Challenge { get; set; }

    /// <summary>The time of the last challenge, at any address; <see langword="null"/> before the first one. Only the thread that receives uses it.</summary>
    public long? ChallengedAt { get; set; }

    /// <summary>The source under which limits per address count the connection: its address group, or the address and port on this machine.</summary>
    public string Source => source;

    /// <summary>The position among the unauthenticated connections, or <see langword="null"/> if the connection is not one of them. Guarded by the lock of that list.</summary>
    public LinkedListNode<UdpSession>? Place { get; set; }

    /// <summary>The answer to the client, which is sent again if the client repeats its request.</summary>
    public byte[] Accept => accept;

    /// <summary>The time at which the connection was created.</summary>
    public long Since => since;

    private SocketAddress _address = address;
    private int _isAccepted;

    /// <summary>Whether the connection was passed to the host. This requires that the client has proved that it knows the secret, if there is a secret.</summary>
    public bool IsAccepted => Volatile.Read(ref _isAccepted) != 0;

    public UdpChannel Channel { get; set; } = null!;

    /// <summary>Marks the connection as accepted by the host.</summary>
    /// <returns><see langword="true"/> if this call marked the connection; <see langword="false"/> if another call has already done so.</returns>
    public bool TryAccept() => Interlocked.CompareExchange(ref _isAccepted, 1, 0) == 0;

    /// <summary>Reverts <see cref="TryAccept"/>, because the queue of the host is full.</summary>
    public void RevokeAcceptance() => Volatile.Write(ref _isAccepted, 0);

    /// <summary>Moves the connection to an address at which the client receives.</summary>
    public void Move(SocketAddress to)
    {
        var isNewMachine = !UdpSocket.HaveSameMachine(Address, to); // otherwise, a router gave the client another port, and the path is the same
        Volatile.Write(ref _address, to);
        Challenge = null;
        Channel.Continue(isNewMachine);
    }

    public void Send(ReadOnlySpan<byte> datagram) => listener.Send(datagram, Address);

    public void Release(UdpChannel channel) => listener.Forget(this);
}

/// <summary>The memory that the connections of a listener hold. Thread-safe.</summary>
internal sealed class HeldMemory
{
    private long _bytes;

    public long Bytes => Volatile.Read(ref _bytes);

    public void Add(int change) => Interlocked.Add(ref _bytes, change);
}

/// <summary>A question to an address from which a client has sent: does the client receive there?</summary>
internal sealed class AddressChallenge(SocketAddress address)
{
    public SocketAddress Address => address;

    /// <summary>The random bytes that the client repeats.</summary>
    public ulong Value { get; } = BinaryPrimitives.ReadUInt64LittleEndian(RandomNumberGenerator.GetBytes(sizeof(ulong)));
}
