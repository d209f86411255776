using System.IO;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Channels;

/// <summary>An encrypted channel promises what every channel does.</summary>
public sealed class ProtectedInProcessTests : ChannelContractTests
{
    private static int s_names;

    protected override ChannelFactory Factory { get; } = ChannelFactory.For(new() { Protection = ProtectionOptions.WithSecret(new byte[16], 128) });

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"protected-{Interlocked.Increment(ref s_names)}");
}

public sealed class ProtectedTcpTests : ChannelContractTests
{
    protected override ChannelFactory Factory { get; } = ChannelFactory.For(new() { Token = new byte[32], Protection = ExchangedKeys.WithToken() });

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp(0);
}

/// <summary>With a new key for every three records.</summary>
public sealed class ProtectedUnixTests : ChannelContractTests
{
    protected override ChannelFactory Factory { get; } = ChannelFactory.For(new() { Protection = ProtectionOptions.WithSecret(new byte[32]).RotatingAfter(3) });

    protected override MessageEndpoint NewEndpoint() => SocketFolder.Next();
}
