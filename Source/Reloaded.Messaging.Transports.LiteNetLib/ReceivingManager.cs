using LiteNetLib;
using LiteNetLib.Layers;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>A manager that knows whether a handler blocks its receiving thread. LiteNetLib then reads no acknowledgements, and cannot stop.</summary>
internal sealed class ReceivingManager(INetEventListener events, PacketLayerBase layer) : NetManager(events, layer)
{
    /// <summary>The time after which a running handler counts as blocked, in milliseconds.</summary>
    public const int BlockedAfter = 500;

    private long _receivingSince = long.MaxValue;
    private int _receivingThread;

    /// <summary>Whether a handler has run for a long time on another thread than this one.</summary>
    private bool IsBlocked => Environment.TickCount64 - Volatile.Read(ref _receivingSince) >= BlockedAfter && Volatile.Read(ref _receivingThread) != Environment.CurrentManagedThreadId;

    /// <summary>Waits for a task, or for a time. Ends earlier if a handler has blocked the receiving thread, but not before <see cref="BlockedAfter"/>: the handler may return, and LiteNetLib still sends.</summary>
    public async Task WaitAsync(Task task, TimeSpan time)
    {
        var timeout = Task.Delay(time);
        do
            await Task.WhenAny(task, timeout, Task.Delay(BlockedAfter)).ConfigureAwait(false);
        while (!task.IsCompleted && !timeout.IsCompleted && !IsBlocked);
    }

    /// <summary>Records that the receiving thread begins to handle a packet. A handler in a poll does not block that thread.</summary>
    public void BeginReceive()
    {
        if (!UnsyncedEvents && !UnsyncedReceiveEvent)
            return;
        _receivingThread = Environment.CurrentManagedThreadId;
        Volatile.Write(ref _receivingSince, Environment.TickCount64);
    }

    /// <summary>Records that the receiving thread has handled a packet.</summary>
    public void EndReceive() => Volatile.Write(ref _receivingSince, long.MaxValue);
}
