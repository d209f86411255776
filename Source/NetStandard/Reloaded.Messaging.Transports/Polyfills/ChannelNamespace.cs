namespace System.Threading.Channels;

/// <summary>Makes the namespace exist that files import for the queues of newer targets.</summary>
internal static class ChannelNamespace;
