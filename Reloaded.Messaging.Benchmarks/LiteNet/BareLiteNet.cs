using System.Buffers.Binary;
using System.Diagnostics;
using System.Linq;
using System.Net;
using LiteNetLib;

namespace Reloaded.Messaging.Benchmarks.LiteNet;

/// <summary>The floor: LiteNetLib alone, on loopback, reliable and ordered. The sender triggers an update after it sends.</summary>
internal sealed class BareLiteNet : IDisposable
{
    private const int MaxQueued = 1024; // as in the transport
    private const int SendsPerUpdate = 64;
    private const int RequestSize = 32;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    private readonly NetManager _receiver;
    private readonly NetManager _sender;
    private readonly NetPeer _peer;
    private readonly TaskCompletionSource[] _replies;
    private readonly int _messagesToAcknowledge;
    private int _acknowledged;
    private long _count;

    /// <param name="inFlight">The number of requests that are awaited at a time. Above 0, the receiver sends each packet back.</param>
    /// <param name="messagesToAcknowledge">The number of received messages after which the receiver triggers an update; 0 to let LiteNetLib acknowledge at its next update.</param>
    public BareLiteNet(int inFlight = 0, int messagesToAcknowledge = 0)
    {
        _replies = new TaskCompletionSource[inFlight];
        _messagesToAcknowledge = messagesToAcknowledge;
        var receiving = new EventBasedNetListener();
        receiving.ConnectionRequestEvent += static request => request.Accept();
        receiving.NetworkReceiveEvent += Receive;
        _receiver = Start(receiving);
        using var connected = new ManualResetEventSlim();
        var sending = new EventBasedNetListener();
        sending.PeerConnectedEvent += _ => connected.Set();
        sending.NetworkReceiveEvent += (_, reader, _, _) =>
        {
            _replies[BinaryPrimitives.ReadInt32LittleEndian(reader.RawData.AsSpan(reader.Position))].SetResult();
            reader.Recycle();
        };
        _sender = Start(sending);
        _peer = _sender.Connect(new IPEndPoint(IPAddress.Loopback, _receiver.LocalPort), "");
        connected.Wait();
    }

    /// <summary>Sends for a time. Yields while the queue is full.</summary>
    /// <returns>The messages received per second.</returns>
    public double Send(int size, TimeSpan time)
    {
        var payload = new byte[size];
        var before = Interlocked.Read(ref _count);
        var watch = Stopwatch.StartNew();
        for (long sent = 1; watch.Elapsed < time; sent++)
        {
            _peer.Send(payload, 0, DeliveryMethod.ReliableOrdered);
            if (sent % SendsPerUpdate != 0)
                continue;
            _sender.TriggerUpdate();
            while (_peer.GetPacketsCountInReliableQueue(0, ordered: true) >= MaxQueued && watch.Elapsed < time)
            {
                Thread.Yield();
                _sender.TriggerUpdate();
            }
        }

        var rate = (Interlocked.Read(ref _count) - before) / watch.Elapsed.TotalSeconds;
        for (var last = -1L; last != Interlocked.Read(ref _count);)
        {
            last = Interlocked.Read(ref _count);
            Thread.Sleep(s_pause);
        }

        return rate;
    }

    /// <summary>Sends requests for a time, each of which is awaited by its loop.</summary>
    /// <returns>The replies per second.</returns>
    public async Task<double> AskAsync(TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        var counts = await Task.WhenAll(Enumerable.Range(0, _replies.Length).Select(loop => Task.Run(() => LoopAsync(loop, watch, time))));
        return counts.Sum() / watch.Elapsed.TotalSeconds;
    }

    public void Dispose()
    {
        _sender.Stop();
        _receiver.Stop();
    }

    private static NetManager Start(INetEventListener events)
    {
        var manager = new NetManager(events) { UnsyncedEvents = true, IPv6Enabled = false };
        manager.Start(IPAddress.Loopback, IPAddress.IPv6Loopback, 0);
        return manager;
    }

    private void Receive(NetPeer from, NetPacketReader reader, byte channel, DeliveryMethod method)
    {
        Interlocked.Increment(ref _count);
        if (_replies.Length > 0)
        {
            from.Send(reader.GetRemainingBytesSpan(), 0, DeliveryMethod.ReliableOrdered);
            _receiver.TriggerUpdate();
        }
        else if (_messagesToAcknowledge > 0 && ++_acknowledged % _messagesToAcknowledge == 0)
        {
            _receiver.TriggerUpdate();
        }

        reader.Recycle();
    }

    private async Task<long> LoopAsync(int loop, Stopwatch watch, TimeSpan time)
    {
        var request = new byte[RequestSize];
        BinaryPrimitives.WriteInt32LittleEndian(request, loop);
        long count = 0;
        for (; watch.Elapsed < time; count++)
        {
            var reply = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _replies[loop] = reply;
            _peer.Send(request, 0, DeliveryMethod.ReliableOrdered);
            _sender.TriggerUpdate();
            await reply.Task;
        }

        return count;
    }
}
