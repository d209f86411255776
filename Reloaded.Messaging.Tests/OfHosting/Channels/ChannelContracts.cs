using System.IO;
using System.Net.Sockets;
using System.Threading;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

public sealed class InProcessChannelTests : ChannelContractTests
{
    private static int s_names;

    protected override Endpoint NewEndpoint() => Endpoint.InProcess($"channel-{Interlocked.Increment(ref s_names)}");
}

public sealed class TcpChannelTests : ChannelContractTests
{
    protected override Endpoint NewEndpoint() => Endpoint.Tcp(0);
}

public sealed class TcpV6ChannelTests : ChannelContractTests
{
    protected override Endpoint NewEndpoint()
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "This machine has no IPv6.");
        return Endpoint.Tcp("::1", 0);
    }
}

public sealed class UnixChannelTests : ChannelContractTests
{
    protected override Endpoint NewEndpoint() => Endpoint.Unix(Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()));
}
