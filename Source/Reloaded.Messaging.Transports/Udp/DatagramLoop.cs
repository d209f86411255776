using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>Receives from a socket that many connections may share. A handler runs on the receiving thread and does not delay the datagrams of other connections.</summary>
/// <remarks>
/// Datagrams are handled one at a time. The loop handles all datagrams that wait in the socket, at most 64, before it completes the receives of their channels: with one datagram for
/// each turn in the thread pool, a server with many peers and a busy pool would receive less than arrives. The receiving thread completes the last of these receives, after the wait for the next
/// datagram has begun, and the thread pool completes the others. A handler therefore starts early and may run for a long time. After 64 datagrams, the loop
/// requeues itself, so that a flood does not occupy a thread of the pool. Does not allocate in the steady state.
/// </remarks>
internal sealed class DatagramLoop : IThreadPoolWorkItem
{
    /// <summary>The number of consecutive failures that end the loop. A received datagram resets the count. A single failure may come from one remote address, while other connections share the socket.</summary>
    private const int MaxFailures = 100;

    /// <summary>The number of datagrams that the loop handles before it gives the thread to other work of the thread pool.</summary>
    public const int MaxPerRun = 64;

    private readonly Socket _socket;
    private readonly IDatagramReceiver _receiver;
    private readonly byte[] _buffer;
    private readonly SocketAddress _from;
    private readonly Action _received;
    private ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter _receiving;
    private int _failures;

    /// <param name="socket">A socket that is bound or connected.</param>
    /// <param name="receiver">The receiver of the datagrams.</param>
    /// <param name="bufferSize">The size of the largest datagram to receive, in bytes.</param>
    public DatagramLoop(Socket socket, IDatagramReceiver receiver, int bufferSize)
    {
        _socket = socket;
        _receiver = receiver;
        _buffer = GC.AllocateUninitializedArray<byte>(bufferSize, pinned: true);
        _from = new SocketAddress(socket.AddressFamily);
        _received = Received;
    }

    public void Start()
    {
        if (TryBegin())
            Continue(elsewhere: true);
    }

    /// <summary>Continues the loop on the thread pool.</summary>
    public void Execute() => Received();

    private void Received()
    {
        UdpChannel? last = null;
        for (var handled = 1; TryEnd(out var size); handled++)
        {
            if (size >= 0 && Handle(size) is { } channel)
            {
                if (last is not null)
                    ThreadPool.UnsafeQueueUserWorkItem(last, preferLocal: false);
                last = channel;
            }

            if (!TryBegin() || !Continue(elsewhere: handled == MaxPerRun))
                break;
        }

        last?.CompleteReceive(); // another thread may run this loop at the same time
    }

    /// <summary>Handles a datagram. No exception may end the process, because an unauthenticated sender may have caused it.</summary>
    private UdpChannel? Handle(int size)
    {
        try
        {
            return _receiver.Receive(_buffer.AsSpan(0, size), _from);
        }
        catch (Exception e)
        {
            _receiver.Fail(e);
            return null;
        }
    }

    /// <summary>Schedules the next datagram, unless it is already received and this thread may take it.</summary>
    /// <returns>Whether the datagram is received and this thread must handle it.</returns>
    private bool Continue(bool elsewhere)
    {
        if (!_receiving.IsCompleted)
            _receiving.UnsafeOnCompleted(_received);
        else if (elsewhere)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        else
            return true;
        return false;
    }

    [SuppressMessage("Reliability", "CA2012", Justification = "TryEnd uses the awaiter once.")]
    private bool TryBegin()
    {
        try
        {
            _receiving = _socket.ReceiveFromAsync(_buffer, SocketFlags.None, _from).ConfigureAwait(false).GetAwaiter();
            return true;
        }
        catch (ObjectDisposedException)
        {
            _receiver.Stop(SocketError.OperationAborted);
        }
        catch (Exception e)
        {
            _receiver.Fail(e);
            _receiver.Stop(SocketError.SocketError);
        }

        return false;
    }

    /// <param name="size">The size of the datagram; negative if no datagram was received and the loop continues.</param>
    private bool TryEnd(out int size)
    {
        size = -1;
        try
        {
            size = _receiving.GetResult();
            _failures = 0;
            return true;
        }
        catch (ObjectDisposedException)
        {
            _receiver.Stop(SocketError.OperationAborted);
        }
        catch (SocketException e)
        {
            // These errors concern a single datagram. Windows rejects a datagram that is too large. Systems report ICMP errors for sent datagrams, and any remote address can cause them.
            if (e.SocketErrorCode is SocketError.MessageSize or SocketError.ConnectionReset or SocketError.ConnectionRefused or SocketError.NetworkReset or SocketError.NetworkUnreachable or SocketError.HostUnreachable)
                return true;
            if (e.SocketErrorCode is not (SocketError.OperationAborted or SocketError.Interrupted) && ++_failures < MaxFailures)
                return true;
            _receiver.Stop(e.SocketErrorCode);
        }
        catch (Exception e)
        {
            _receiver.Fail(e);
            if (++_failures < MaxFailures)
                return true;
            _receiver.Stop(SocketError.SocketError);
        }

        return false;
    }
}

/// <summary>Handles the datagrams of a socket, one at a time and in order.</summary>
internal interface IDatagramReceiver
{
    /// <summary>Handles a datagram.</summary>
    /// <param name="datagram">The datagram. Valid until the call returns.</param>
    /// <param name="from">The address of the sender. Every call passes the same object, so copy it to keep it.</param>
    /// <returns>The channel whose receive must be completed after the wait for the next datagram has begun, or <see langword="null"/>.</returns>
    UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from);

    /// <summary>Counts and reports an exception that <see cref="Receive"/> threw. The loop continues.</summary>
    void Fail(Exception exception);

    /// <summary>Reports that the socket cannot receive any more, or that it was closed.</summary>
    void Stop(SocketError reason);
}
