using System.Net;
using System.Net.Sockets;
using LiteNetLib;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>What LiteNetLib logs.</summary>
public sealed class LiteNetLogTests
{
    [Fact]
    public async Task Error_of_LiteNetLib_is_an_event_of_the_host_that_it_concerns()
    {
        var failed = Signal.New<Exception>();
        await using var other = await MessageHost.ListenAsync(new LiteNetTransport().At(0));
        await using var server = await MessageHost.ListenAsync(new LiteNetTransport().At(0), server => server.DatagramFailed += e => failed.TrySetResult(e));
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Connect(IPAddress.Loopback, server.Endpoint.Port);

        await socket.SendAsync(new byte[] { 1 }); // a channeled packet without its sequence number

        Assert.Contains("DataReceived: bad!", (await failed.Task.InTime()).Message, StringComparison.Ordinal);
        Assert.Equal((1, 0), (server.GetCount(DatagramDropReason.Failed), other.GetCount(DatagramDropReason.Failed)));
    }

    [Fact]
    public async Task Logger_of_the_program_stays()
    {
        var before = NetDebug.Logger;
        var logger = new Logger();
        NetDebug.Logger = logger;
        try
        {
            await using var server = await MessageHost.ListenAsync(new LiteNetTransport().At(0));

            Assert.Same(logger, NetDebug.Logger);
        }
        finally
        {
            NetDebug.Logger = before;
        }
    }

    private sealed class Logger : INetLogger
    {
        public void WriteNet(NetLogLevel level, string str, params object[] args)
        {
        }
    }
}
