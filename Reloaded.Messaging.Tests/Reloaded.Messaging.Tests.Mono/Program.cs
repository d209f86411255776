using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Mono.Figures;
using Reloaded.Messaging.Tests.PeerProcess;

namespace Reloaded.Messaging.Tests.Mono;

/// <summary>The tests of the hosts and the transports on Mono, and a game for a tool on .NET.</summary>
public static class Program
{
    /// <param name="args">For a game, the verb, the name of its server and, for another endpoint, what to do there. For the tests, a part of their names, or nothing.</param>
    public static async Task<int> Main(string[] args)
    {
        MessageContracts.Declare();
        if (args is ["game", var name])
        {
            await using var server = await MessageHost.ListenAsync(
                MessageEndpoint.OfProcess(Environment.ProcessId, name),
                Questions.Answer);
            Console.WriteLine("ready");
            await Console.In.ReadToEndAsync();
            return 0;
        }

        if (args is ["game", _, Questions.ServeVerb, var served])
        {
            await Questions.ServeAsync(served);
            return 0;
        }

        if (args is ["game", _, Questions.AskVerb, var target])
        {
            await Questions.AskAsync(target);
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
