using LiteNetLib;
using Reloaded.Messaging.Transports.LiteNetLib;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>A LiteNetLib server without a host. It uses the protocol of 1.x if its clients are built on version 2 of this library.</summary>
internal sealed class RawServer : IAsyncDisposable
{
    private readonly NetManager _manager;

    public RawServer(LiteNetOptions options, bool isCompatible, Action<NetPacketReader, byte, DeliveryMethod> receive)
    {
        var events = new EventBasedNetListener();
        events.ConnectionRequestEvent += request => request.AcceptIfKey(options.ConnectionKey);
        events.NetworkReceiveEvent += (_, reader, channel, method) =>
        {
            receive(reader, channel, method);
            reader.Recycle();
        };
        _manager = new NetManager(events, isCompatible ? new LiteNetVersion1Layer() : null) { UnsyncedEvents = true, ChannelsCount = (byte)options.Channels, IPv6Enabled = false };
        _manager.Start(System.Net.IPAddress.Loopback, System.Net.IPAddress.IPv6Loopback, 0);
    }

    public int Port => _manager.LocalPort;

    public ValueTask DisposeAsync()
    {
        _manager.Stop();
        return default;
    }
}
