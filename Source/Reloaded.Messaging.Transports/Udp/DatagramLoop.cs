using System;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>Receives from a socket that many connections may share, so that no handler keeps another connection's datagrams waiting, and none changes threads.</summary>
/// <remarks>
/// What a datagram starts runs on the thread that received it, after the next one is waited for, or another thread was asked to take it: a
/// handler begins as early as it can, and may take its time. One datagram is taken at a time. After some
/// dozens of datagrams that started nothing, the loop queues itself, so that a flood does not hold a thread of the pool. Allocates nothing once it runs.
/// </remarks>
internal sealed class DatagramLoop : IThreadPoolWorkItem
{
    /// <summary>Failures in a row that end it; a datagram that came resets them. One is somebody's refusal, told of on a socket that others use too.</summary>
    private const int MostFailures = 100;

    /// <summary>The number of datagrams that are handled before other work of the thread pool gets the thread.</summary>
    public const int MostInARow = 64;

    private readonly Socket _socket;
    private readonly IDatagramReceiver _receiver;
    private readonly byte[] _buffer;
    private readonly SocketAddress _from;
    private readonly Action _received;
    private ValueTaskAwaiter<int> _receiving;
    private int _failures;

    /// <param name="socket">Bound, or connected.</param>
    /// <param name="receiver">Takes the datagrams.</param>
    /// <param name="bufferSize">The largest datagram to take whole, in bytes.</param>
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

    /// <summary>Goes on, on the thread pool.</summary>
    public void Execute() => Received();

    private void Received()
    {
        for (var handled = 1; ; handled++)
        {
            if (!TryEnd(out var size))
                return;
            var channel = size < 0 ? null : Handle(size);
            if (!TryBegin())
            {
                channel?.CompleteReceive();
                return;
            }

            if (Continue(elsewhere: channel is not null || handled == MostInARow))
                continue;
            channel?.CompleteReceive(); // another thread may be in this loop by now
            return;
        }
    }

    /// <summary>Handles a datagram. An exception, of whatever kind, is not allowed to end the process: what a stranger sends may have caused it.</summary>
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

    /// <summary>Has the next datagram taken once it is there.</summary>
    /// <returns>Whether it is there, and is for this thread to take.</returns>
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

    [SuppressMessage("Reliability", "CA2012", Justification = "The awaiter is asked once, by TryEnd.")]
    private bool TryBegin()
    {
        try
        {
            _receiving = _socket.ReceiveFromAsync(_buffer, SocketFlags.None, _from).GetAwaiter();
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

    /// <param name="size">The datagram's size; negative if there is none, and the next may come.</param>
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
            // Of one datagram and of nobody else's: Windows refuses one that is too large, and tells of answers that nobody took.
            if (e.SocketErrorCode is SocketError.MessageSize or SocketError.ConnectionReset or SocketError.NetworkReset)
                return true;
            if (e.SocketErrorCode is not (SocketError.OperationAborted or SocketError.Interrupted) && ++_failures < MostFailures)
                return true;
            _receiver.Stop(e.SocketErrorCode);
        }
        catch (Exception e)
        {
            _receiver.Fail(e);
            if (++_failures < MostFailures)
                return true;
            _receiver.Stop(SocketError.SocketError);
        }

        return false;
    }
}
