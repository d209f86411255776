// What a test calls with the port of a hostile server, by reflection.
using System;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Client;
using Reloaded.Messaging.Client.Messages;

internal static class HostileServer
{
    /// <summary>Connects to a server, and polls until the connection has ended. Returns the reason.</summary>
    public static string Run(int port)
    {
        string end = null;
        var shout = Contracts.Shout;
        var compressed = new Contract<Shout>(shout.Id, shout.Version, shout.Name, "lz4", null, false, shout.Shape, shout.Pack, shout.Unpack);
        using (var client = new MessageClient(Contracts.All.Where(one => one.Id != shout.Id).Concat(new Contract[] { compressed })))
        {
            client.On<Shout>(one => { });
            client.OnRequest<Question>((question, request) => request.Reply(new Answer()));
            client.OnRequest<Wait>((wait, request) => request.Canceled = () => request.Fault(FaultCodes.Canceled, "Canceled."));
            client.OnRequest<Sum>((sum, request) => request.Acknowledge());
            client.Decompress = (name, bytes, size) => throw new FormatException("The bytes are corrupt.");
            client.Connected = () =>
            {
                client.Request(new Sum(), 30000, one => { });
                client.Request<object>(new Repeat(), 30000, one => { });
            };
            client.Disconnected = (reason, text) => end = reason + " " + text.Length.ToString(CultureInfo.InvariantCulture);
            client.Connect("tcp://127.0.0.1:" + port.ToString(CultureInfo.InvariantCulture), 30000);
            while (end == null)
                client.Poll();
        }

        return end;
    }

    /// <summary>Sends events to a server that does not read, until the client refuses one; then, after the server has read, sends another one. Returns the results.</summary>
    public static string Fill(int port, Action readAll)
    {
        var isConnected = false;
        using (var client = new MessageClient(Contracts.All) { SendCapacity = 1 << 16, Connected = () => isConnected = true })
        {
            client.Connect("tcp://127.0.0.1:" + port.ToString(CultureInfo.InvariantCulture), 30000);
            while (!isConnected)
                client.Poll();
            ClientStatus status;
            while ((status = client.Send(new Shout { Text = new string('x', 10000) })) == ClientStatus.Ok)
                client.Poll();
            readAll();
            ClientStatus later;
            while ((later = client.Send(new Shout())) == ClientStatus.Full)
                client.Poll();
            return status + ", " + client.Send(new Shout { Text = new string('x', 1 << 16) }) + ", " + later;
        }
    }

    /// <summary>Connects to a server that says nothing, with a callback that fails, and then from the callback to one that does. Returns what Poll throws, and the reasons.</summary>
    public static string Fail(int silentPort, int port)
    {
        var ends = "";
        var failures = 0;
        var isConnected = false;
        using (var client = new MessageClient(Contracts.All))
        {
            client.Connected = () => isConnected = true;
            client.Disconnected = (reason, text) =>
            {
                ends += reason + " ";
                client.Poll(); // does nothing inside of a callback
                client.Connect("tcp://127.0.0.1:" + port.ToString(CultureInfo.InvariantCulture), 30000);
                throw new InvalidOperationException("callback");
            };
            client.Connect("tcp://127.0.0.1:" + silentPort.ToString(CultureInfo.InvariantCulture), 1);
            while (!isConnected)
            {
                try
                {
                    client.Poll();
                }
                catch (InvalidOperationException e)
                {
                    failures += e.Message == "callback" ? 1 : 0;
                }
            }

            client.Dispose();
            return ends + failures.ToString(CultureInfo.InvariantCulture) + " " + client.State;
        }
    }
}
