using System;
using System.Net.Sockets;
using System.Threading;

namespace Reloaded.Messaging.Polyfills;

/// <summary>A thread that receives from one socket. On Mono, each asynchronous receive allocates about 500 B; a blocking receive allocates nothing.</summary>
/// <param name="socket">The socket. Disposing it ends a receive that waits.</param>
/// <param name="array">The memory to receive into.</param>
/// <param name="received">Called on the thread after each receive.</param>
internal sealed class ReceiveThread(Socket socket, byte[] array, Action<SocketError, int> received)
{
    /// <summary>The maximum number of such threads in the process. A game has a few tools; a server with many clients uses asynchronous receives for the others.</summary>
    private const int MaxThreads = 32;

    private static int s_threads;

    private readonly object _gate = new();
    private bool _isWanted;
    private bool _isStopped;

    /// <summary>Starts the thread.</summary>
    /// <returns><see langword="false"/> if the process has the maximum number of such threads.</returns>
    public bool TryStart()
    {
        if (Interlocked.Increment(ref s_threads) > MaxThreads)
        {
            Interlocked.Decrement(ref s_threads);
            return false;
        }

        LibraryThread.Start("Reloaded.Messaging receive", Run);
        return true;
    }

    /// <summary>Begins one receive.</summary>
    public void Begin()
    {
        lock (_gate)
        {
            _isWanted = true;
            Monitor.Pulse(_gate);
        }
    }

    /// <summary>Ends the thread after a receive that waits.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _isStopped = true;
            Monitor.Pulse(_gate);
        }
    }

    private void Run()
    {
        while (WaitForBegin())
        {
            var (error, count) = Receive();
            received(error, count);
        }

        Interlocked.Decrement(ref s_threads);
    }

    private bool WaitForBegin()
    {
        lock (_gate)
        {
            while (!_isWanted && !_isStopped)
                Monitor.Wait(_gate);
            var begins = _isWanted;
            _isWanted = false;
            return begins;
        }
    }

    private (SocketError Error, int Count) Receive()
    {
        try
        {
            var count = socket.Receive(array, 0, array.Length, SocketFlags.None, out var error);
            return (error, count);
        }
        catch (ObjectDisposedException)
        {
            return (SocketError.OperationAborted, 0);
        }
        catch (SocketException e)
        {
            return (e.SocketErrorCode, 0); // Mono throws this in place of the error if the socket is disposed just before the call of the system
        }
    }
}
