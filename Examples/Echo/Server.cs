using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace Echo;

/// <summary>The server process. It ends when its standard input ends, and therefore with the process that started it.</summary>
public static class Server
{
    public static async Task RunAsync(MessageEndpoint endpoint)
    {
        long answered = 0;
        await using var server = await MessageHost.ListenAsync(endpoint, server =>
        {
            server.OnRequest((in Echoed echoed, Peer _) =>
            {
                Interlocked.Increment(ref answered); // the requests of each client are handled on a different thread
                return echoed;
            });
            server.OnRequest((in StatusQuery _, Peer _) =>
                new Status(Environment.ProcessId, Interlocked.Read(ref answered), GC.GetTotalAllocatedBytes(), server.Peers.Count));
        });
        Console.WriteLine(server.Endpoint.Port);
        await Console.In.ReadToEndAsync();
    }
}
