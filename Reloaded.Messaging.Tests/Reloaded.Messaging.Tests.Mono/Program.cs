using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Mono.Figures;
using Reloaded.Messaging.Tests.PeerProcess;

namespace Reloaded.Messaging.Tests.Mono;

/// <summary>The tests of the hosts and the transports on Mono, and a game for a tool on .NET.</summary>
public static class Program
{
    /// <param name="args">For a game, the verb and the name of its server. For the tests, a part of their names, or nothing.</param>
    public static async Task<int> Main(string[] args)
    {
        MessageContracts.Declare();
        if (args is ["game", var name])
        {
            await using var server = await MessageHost.ListenAsync(
                MessageEndpoint.OfProcess(Environment.ProcessId, name),
                static server => server.OnRequest(static (Question question) => new Answer(question.Number, Environment.ProcessId)));
            Console.WriteLine("ready");
            await Console.In.ReadToEndAsync();
            return 0;
        }

        if (args is ["figures"])
        {
            using var run = new FigureRun();
            return await run.RunAsync();
        }

        return new TestRun(args is [var filter] ? filter : null).Run();
    }
}
