using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Tasks that complete when a host says so.</summary>
internal static class Signal
{
    public static TaskCompletionSource<T> New<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The next peer to be gone, and why.</summary>
    public static Task<DisconnectReason> Disconnection(this MessageHost host)
    {
        var signal = New<DisconnectReason>();
        host.PeerDisconnected += (_, reason) => signal.TrySetResult(reason);
        return signal.Task;
    }

    /// <summary>The next peer to shake hands.</summary>
    public static Task<Peer> Connection(this MessageHost host)
    {
        var signal = New<Peer>();
        host.PeerConnected += peer => signal.TrySetResult(peer);
        foreach (var peer in host.Peers)
            signal.TrySetResult(peer);
        return signal.Task;
    }

    /// <summary>Looks again and again until a counter, which has no event, says what it should.</summary>
    public static async Task UntilAsync(Func<bool> condition)
    {
        var end = Environment.TickCount64 + (long)Deadline.Length.TotalMilliseconds;
        while (!condition())
        {
            if (Environment.TickCount64 > end)
                throw new TimeoutException("What was waited for did not come about.");
            await Task.Delay(5);
        }
    }

    /// <summary>Everything that a host tells of its peers, in order.</summary>
    public static List<string> Diary(this MessageHost host)
    {
        var diary = new List<string>();
        host.PeerConnected += peer => Write($"{peer.Id} connected");
        host.PeerDisconnected += (peer, reason) => Write($"{peer.Id} {reason}");
        return diary;

        void Write(string line)
        {
            lock (diary)
                diary.Add(line);
        }
    }
}
