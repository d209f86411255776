using System.IO;
using System.Net.Sockets;
using Reloaded.Messaging.Tests.Samples;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

public sealed class InProcessChannelTests : ChannelContractTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"channel-{Interlocked.Increment(ref s_names)}");

    /// <summary>TLS waits in this way for the bytes that are left.</summary>
    [Fact]
    public async Task Receive_into_no_memory_succeeds_as_long_as_bytes_of_an_aborted_side_are_left()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        await pair.Client.SendAsync(new byte[] { 1 }, default);
        pair.Client.Abort();

        Assert.Equal(0, await pair.Server.ReceiveAsync(Memory<byte>.Empty, default));
        Assert.Equal(1, await pair.Server.ReceiveAsync(new byte[2], default));
        await Assert.ThrowsAsync<TransportClosedException>(async () => await pair.Server.ReceiveAsync(Memory<byte>.Empty, default));
    }
}

public sealed class TcpChannelTests : ChannelContractTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp(0);
}

public sealed class TcpV6ChannelTests : ChannelContractTests
{
    protected override MessageEndpoint NewEndpoint()
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "This machine has no IPv6.");
        return MessageEndpoint.Tcp("::1", 0);
    }
}

public sealed class UnixChannelTests : ChannelContractTests
{
    protected override MessageEndpoint NewEndpoint() => SocketFolder.Next();
}

/// <summary>What MessageEndpoint.Pipe is on this system: on Windows a pipe, elsewhere the socket that .NET has for one.</summary>
public class PipeChannelTests : ChannelContractTests, IDisposable
{
    private readonly PipeNames _names = new();

    public void Dispose()
    {
        _names.Dispose();
        GC.SuppressFinalize(this);
    }

    protected override ChannelFactory Factory { get; } = OfPipes(ChannelFactory.Default);

    protected override MessageEndpoint NewEndpoint() => _names.Next();

    /// <summary>A Windows pipe has one waiting instance: a second client connects only after the first was accepted.</summary>
    protected static ChannelFactory OfPipes(ChannelFactory factory) => factory with { ConnectsOnceAccepted = OperatingSystem.IsWindows() };
}

/// <summary>The pipes of Windows, on any system: .NET has them everywhere.</summary>
public sealed class PipeStreamChannelTests : PipeChannelTests
{
    protected override ChannelFactory Factory { get; } = OfPipes(new ChannelFactory(
        static endpoint => new ValueTask<TransportListener>(PipeListener.Listen(new TransportAddress(endpoint.Transport, endpoint.Address), allowElevationMismatch: false)),
        static endpoint => PipeConnector.ConnectAsync(new TransportAddress(endpoint.Transport, endpoint.Address), allowElevationMismatch: false, default)));
}

/// <summary>The sample of docs/transports.md, without loss and delay.</summary>
public sealed class LossyChannelTests : ChannelContractTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Over(new LossyTransport(), "channel");
}
