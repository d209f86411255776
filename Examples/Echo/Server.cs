using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace Echo;

/// <summary>The process that answers. It ends when its input does, and so with the process that started it.</summary>
public static class Server
{
    public static async Task RunAsync(MessageEndpoint endpoint)
    {
        long answered = 0;
        await using var server = await MessageHost.ListenAsync(endpoint, server =>
        {
            server.OnRequest((in Echoed echoed, Peer _) =>
            {
                Interlocked.Increment(ref answered); // each client's requests are handled on a thread of its own
                return echoed;
            });
            server.OnRequest((in StatusQuery _, Peer _) =>
                new Status(Environment.ProcessId, Interlocked.Read(ref answered), GC.GetTotalAllocatedBytes(), server.Peers.Count));
        });
        Console.WriteLine(server.Endpoint.Port);
        await Console.In.ReadToEndAsync();
    }
}
