using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess.Datagrams;

/// <summary>The far end of an exchange of datagrams: a UDP server, and a local one by which the test tells it to send and asks what came.</summary>
/// <remarks>It ends when its input does.</remarks>
public static class FarDatagrams
{
    public const string Verb = "datagrams";

    /// <param name="name">The name of the local server.</param>
    /// <param name="most">The most numbers there are.</param>
    public static async Task RunAsync(string name, int most)
    {
        var sink = new DatagramSink(most);
        var connected = new TaskCompletionSource<Peer>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Udp(0),
            server =>
            {
                server.On(DatagramTraffic.Contract, (in ReadOnlyMemory<byte> message, Peer _) => sink.Take(message));
                server.PeerConnected += peer => connected.TrySetResult(peer);
            },
            DatagramTraffic.Options());
        sink.CountOf(server);

        await using var orders = await MessageHost.ListenAsync(
            MessageEndpoint.OfProcess(Environment.ProcessId, name),
            orders =>
            {
                orders.OnRequest((SumDatagrams _) => sink.Sum());
                orders.OnRequest(async (SendDatagrams order, Peer _, CancellationToken _) =>
                {
                    var peer = await connected.Task;
                    for (var i = 0; i < order.Count; i++)
                    {
                        if (peer.Send(DatagramTraffic.Contract, DatagramTraffic.Make(order.First + i)) is not SendStatus.Sent and var status)
                            throw new InvalidOperationException($"Number {order.First + i} was not sent: {status}.");
                    }

                    return order;
                });
            });
        Console.WriteLine($"ready {server.Endpoint.Port}");
        await Console.In.ReadToEndAsync();
    }
}
