using System.Net;
using LiteNetLib;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>A LiteNetLib client that uses the protocol of 1.x.</summary>
internal sealed class RawClient : IDisposable
{
    private readonly NetManager _manager;
    private readonly TaskCompletionSource<NetPeer> _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public RawClient(string key, int port)
    {
        var events = new EventBasedNetListener();
        events.PeerConnectedEvent += _connected.SetResult;
        events.PeerDisconnectedEvent += (_, info) => _connected.TrySetException(new InvalidOperationException($"{info.Reason}"));
        _manager = new NetManager(events, new LiteNetVersion1Layer()) { UnsyncedEvents = true, AutoRecycle = true, IPv6Enabled = false };
        _manager.Start(IPAddress.Loopback, IPAddress.IPv6Loopback, 0);
        _manager.Connect(new IPEndPoint(IPAddress.Loopback, port), key);
    }

    /// <summary>Completes when the server has accepted the client; fails with LiteNetLib's reason when it does not.</summary>
    public Task Connected => _connected.Task;

    public async Task SendAsync(byte[] packet)
    {
        var peer = await _connected.Task.InTime();
        while (peer.GetPacketsCountInReliableQueue(0, ordered: true) > 0)
            await Task.Delay(1); // LiteNetLib 2.1 would merge several messages
        peer.Send(packet, 0, DeliveryMethod.ReliableOrdered);
        _manager.TriggerUpdate();
    }

    public void Dispose() => _manager.Stop();
}
