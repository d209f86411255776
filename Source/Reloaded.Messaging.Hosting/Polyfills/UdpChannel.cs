namespace Reloaded.Messaging.Hosting.Channels.Udp;

/// <summary>Stands where other targets carry messages by datagrams.</summary>
internal abstract class UdpChannel : MessageChannel
{
    public abstract DatagramCounts Counts { get; }
}
