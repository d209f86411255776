using System.Globalization;
using System.Linq;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging.Benchmarks.Udp.Flood;

/// <summary>Sends first messages from many addresses as fast as one processor allows, in its own process. An offer costs it a hash, since all offers have the same key.</summary>
public static class FloodSender
{
    public const string Verb = "flood-sender";

    /// <summary>Sends until the standard input ends. Then prints the numbers of hellos and of offers that were sent.</summary>
    public static async Task RunAsync(string[] arguments)
    {
        var (kind, port, addresses) = (Enum.Parse<FloodKind>(arguments[0]), int.Parse(arguments[1], CultureInfo.InvariantCulture), int.Parse(arguments[4], CultureInfo.InvariantCulture));
        using var exchange = new KeyExchange(new ExchangeSettings(ProtectionOptions.WithServerKey(arguments[3]), Convert.FromHexString(arguments[2]), isDatagrams: true));
        var sockets = Enumerable.Range(0, addresses).Select(number =>
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
            socket.Connect(IPAddress.Parse(LocalNetwork.AddressOf(number)), port);
            return socket;
        }).ToArray();
        using var ending = new CancellationTokenSource();
        var sending = Task.Factory.StartNew(() => Send(sockets, exchange, kind, ending.Token), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Task.Run(Console.In.ReadLine);
        await ending.CancelAsync();
        var (hellos, offers) = await sending;
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{hellos} {offers}"));
    }

    private static (long Hellos, long Offers) Send(Socket[] sockets, KeyExchange exchange, FloodKind kind, CancellationToken ending)
    {
        var (hellos, offers) = (0L, 0L);
        var hello = new byte[DatagramFormat.HelloSize];
        DatagramFormat.Magic.CopyTo(hello);
        var received = new byte[2048];
        while (!ending.IsCancellationRequested)
        {
            foreach (var socket in sockets)
            {
                Random.Shared.NextBytes(hello.AsSpan(DatagramFormat.Magic.Length, DatagramFormat.RandomSize));
                hellos += Send(socket, hello);
                while (socket.Available > 0 && socket.Receive(received, SocketFlags.None, out var error) is var size && error == SocketError.Success)
                {
                    if (size != DatagramFormat.ConnectSize || received[0] != DatagramFormat.Cookie)
                        continue; // an answer or a refusal
                    received[0] = DatagramFormat.Connect;
                    byte[] connect = [.. received.AsSpan(0, size), .. exchange.MakeOffer(received.AsSpan(1, size - 1))];
                    if (kind == FloodKind.Forged)
                        Random.Shared.NextBytes(connect.AsSpan(connect.Length - ExchangeSettings.MacSize));
                    offers += Send(socket, connect);
                }
            }
        }

        return (hellos, offers);
    }

    /// <returns>1 if the datagram was sent; 0 if the system has no room for it.</returns>
    private static int Send(Socket socket, byte[] datagram)
    {
        socket.Send(datagram, SocketFlags.None, out var error);
        return error == SocketError.Success ? 1 : 0;
    }
}
