using System.Linq;
using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

public sealed class TlsSilenceTests
{
    [Fact]
    public async Task Silent_connections_leave_no_unobserved_exception()
    {
        using var certificates = new Certificates();
        var unobserved = new List<string>();
        void Note(object? sender, UnobservedTaskExceptionEventArgs e)
        {
            lock (unobserved)
                unobserved.Add(e.Exception.ToString());
        }

        TaskScheduler.UnobservedTaskException += Note;
        try
        {
            var options = new MessageHostOptions { Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMilliseconds(100) } };
            await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp("127.0.0.1", 0, certificates.Server), options: options);
            var sockets = new List<Socket>();
            for (var i = 0; i < 10; i++)
            {
                sockets.Add(new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp));
                sockets[i].Connect(IPAddress.Loopback, server.Endpoint.Port); // the continuation of ConnectAsync may run after the handshake's timeout, and then throws that the server has reset the connection
            }

            await Signal.UntilAsync(() => server.GetCount(DisconnectReason.HandshakeTimeout) == sockets.Count && server.GetStatistics().Peers == 0);
            for (var i = 0; i < 10; i++)
            {
                await Task.Delay(20);
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }

            var names = sockets.Select(socket => socket.LocalEndPoint!.ToString()!).ToArray();
            lock (unobserved)
                Assert.DoesNotContain(unobserved, text => names.Any(name => text.Contains(name, StringComparison.Ordinal)));
            sockets.ForEach(socket => socket.Dispose());
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= Note;
        }
    }
}
