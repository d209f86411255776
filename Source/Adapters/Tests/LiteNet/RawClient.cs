using System;
using System.Net;
using System.Threading.Tasks;
using LiteNetLib;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Adapters.Tests.LiteNet;

/// <summary>A bare LiteNetLib client.</summary>
internal sealed class RawClient : IDisposable
{
    private readonly NetManager _manager;
    private readonly TaskCompletionSource<NetPeer> _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public RawClient(string key, int port)
    {
        var events = new EventBasedNetListener();
        events.PeerConnectedEvent += _connected.SetResult;
        _manager = new NetManager(events) { UnsyncedEvents = true, AutoRecycle = true, IPv6Enabled = false };
        _manager.Start(IPAddress.Loopback, IPAddress.IPv6Loopback, 0);
        _manager.Connect(new IPEndPoint(IPAddress.Loopback, port), key);
    }

    public async Task SendAsync(byte[] packet)
    {
        var peer = await _connected.Task.InTime();
        peer.Send(packet, 0, DeliveryMethod.ReliableOrdered);
        _manager.TriggerUpdate();
    }

    public void Dispose() => _manager.Stop();
}
