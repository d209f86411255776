using System.Globalization;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.PeerProcess.Datagrams;
using Reloaded.Messaging.Tests.PeerProcess.Languages;
using Reloaded.Messaging.Tests.PeerProcess.SharedMemory;

namespace Reloaded.Messaging.Tests.PeerProcess;

/// <summary>A process with a server in it, for tests to find, ask and kill. It ends when its input does, and so with the process that started it.</summary>
public static class Program
{
    /// <param name="args">The name of its server; for datagrams instead of questions, also the verb and how many at most; for clients in other languages, the verb, the token and the port; for shared memory, a verb and what it needs; for an endpoint, a verb and the endpoint.</param>
    public static async Task Main(string[] args)
    {
        ArgumentNullException.ThrowIfNull(args);
        if (args is [var name, FarDatagrams.Verb, var most])
        {
            await FarDatagrams.RunAsync(name, int.Parse(most, CultureInfo.InvariantCulture));
            return;
        }

        if (args is [LanguageHost.Verb or LanguageHost.WebSocketVerb or LanguageHost.TlsVerb or LanguageHost.UdpVerb, var token, var port])
        {
            await LanguageHost.RunAsync(args[0], token, port);
            return;
        }

        if (args is [var traced, TracedServer.Verb])
        {
            await TracedServer.RunAsync(traced);
            return;
        }

        if (args is [_, Questions.ServeVerb, var served])
        {
            await Questions.ServeAsync(served);
            return;
        }

        if (args is [_, Questions.AskVerb, var target])
        {
            await Questions.AskAsync(target);
            return;
        }

        if (args is [var shared, SharedMemoryPeer.ServerVerb, var journal])
        {
            await SharedMemoryPeer.ServeAsync(shared, journal);
            return;
        }

        if (args is [var asked, SharedMemoryPeer.ClientVerb])
        {
            await SharedMemoryPeer.AskAsync(asked);
            return;
        }

        try
        {
            await using var server = await MessageHost.ListenAsync(
                MessageEndpoint.OfProcess(Environment.ProcessId, args[0]),
                Questions.Answer);
            Console.WriteLine("ready");
            await Console.In.ReadToEndAsync();
        }
        catch (PlatformNotSupportedException e)
        {
            Console.WriteLine($"refused: {e.Message}");
        }
        catch (InvalidOperationException e)
        {
            Console.WriteLine($"invalid: {e.Message}");
        }
    }
}
