using System;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;
using System.Threading.Tasks;
using FirstMessage.Contracts;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Compiler;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Package;

/// <summary>The sample of the package, compiled as Unity does, in a game that calls it as Unity does. It runs on .NET here.</summary>
public sealed class FirstMessageTests
{
    [Fact]
    public async Task Sample_replies_in_a_frame_and_announces_a_score()
    {
        var (package, contracts, sample) = UnityCompiler.CompileSamples();
        var context = new AssemblyLoadContext("Game", isCollectible: true);
        Assembly? game = null;
        foreach (var one in new[] { package, contracts, sample })
            game = context.LoadFromStream(new MemoryStream(GeneratorRunner.Emit(one)));
        var server = Activator.CreateInstance(game!.GetType("GameServer", throwOnError: true)!)!;
        void Call(string method, params object[] arguments) =>
            server.GetType().GetMethod(method, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)!.Invoke(server, arguments);

        await BlockedThread.RunAsync(() => Call("Awake"));
        try
        {
            var score = Signal.New<ScoreChanged>();
            await using var tool = await MessageHost.ConnectAsync(
                MessageEndpoint.OfProcess(Environment.ProcessId, "first-message"), host => host.On((ScoreChanged changed) => score.SetResult(changed)));
            var asking = tool.RequestAsync(new AskStatus("test"), Deadline.Length).AsTask();
            await Signal.UntilAsync(() =>
            {
                Call("Update");
                return asking.IsCompleted;
            });
            Assert.Equal(new GameStatus("Menu", 7), await asking);

            Call("SetScore", 2, 100);
            Assert.Equal(new ScoreChanged(2, 100), await score.Task.InTime());
        }
        finally
        {
            await BlockedThread.RunAsync(() => Call("OnDestroy"));
            context.Unload();
        }
    }
}
