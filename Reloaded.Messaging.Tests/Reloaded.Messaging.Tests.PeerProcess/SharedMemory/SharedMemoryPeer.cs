using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess.SharedMemory;

/// <summary>Either side of a connection over shared memory, to be killed.</summary>
public static class SharedMemoryPeer
{
    public const string ServerVerb = "shared-memory-server";
    public const string ClientVerb = "shared-memory-client";

    /// <summary>An endpoint with a ring that is soon full and often passes its end.</summary>
    public static MessageEndpoint EndpointOf(string name) => MessageEndpoint.Over(new SharedMemoryTransport(new SharedMemoryOptions { RingSize = 8192 }), name);

    /// <summary>Answers a request, once it was noted.</summary>
    public static void Answer(MessageServer server, Func<Store, Stored> note)
    {
        ArgumentNullException.ThrowIfNull(server);
        server.OnRequest((Store store) => note(store));
    }

    /// <summary>A server that notes what it is asked to in a journal, until its input ends.</summary>
    public static async Task ServeAsync(string name, string journalPath)
    {
        using var journal = new Journal(journalPath);
        await using var server = await MessageHost.ListenAsync(EndpointOf(name), server => Answer(server, store =>
        {
            if (!store.IsWhole() || store.Number != journal[store.Line] + 1)
                return new Stored(-1);
            journal[store.Line] = store.Number;
            return new Stored(store.Number);
        }));
        Console.WriteLine("ready");
        await Console.In.ReadToEndAsync();
    }

    /// <summary>A client that asks without an end. Its lines are connections of their own.</summary>
    public static async Task AskAsync(string name)
    {
        var asking = new Task[Journal.Lines];
        for (var line = 0; line < asking.Length; line++)
        {
            var client = await MessageHost.ConnectAsync(EndpointOf(name));
            asking[line] = AskAsync(client, line);
        }

        Console.WriteLine("ready");
        await Task.WhenAll(asking);
    }

    private static async Task AskAsync(MessageClient client, int line)
    {
        for (long number = 1; ; number++)
            await client.RequestAsync<Store, Stored>(Store.Of(line, number));
    }
}
