using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class BlockingHandlerTests
{
    [Theory]
    [InlineData("_ = host.On((Ask a, Peer p) => { var answer = [|p.RequestAsync(a).Result|]; });")]
    [InlineData("_ = host.On((in Ask a, Peer p) => { [|p.RequestAsync(a).AsTask().Wait()|]; });")]
    [InlineData("_ = host.OnRequest((Ask a, Peer p) => [|p.RequestAsync<Ask, Answer>(a).GetAwaiter().GetResult()|]);")]
    [InlineData("_ = host.On((Ask a, Peer p) => { [|start(p).Wait()|]; });")]
    [InlineData("var task = start(peer); _ = host.On((Ask a, Peer p) => { [|task.Wait(100)|]; });")]
    [InlineData("_ = host.On((Ask a, Peer p) => { [|Task.WaitAll(start(p), start(p))|]; });")]
    [InlineData("_ = host.On((Ask a, Peer p) => { [|Task.Run(() => 1).GetAwaiter().GetResult()|]; });")]
    [InlineData("_ = host.On((Ask a, Peer p) => { [|System.Threading.Thread.Sleep(1)|]; });")]
    [InlineData("_ = host.OnRequest((Ask a) => { if ([|peer.TryRequestAsync(a).AsTask().ConfigureAwait(false).GetAwaiter().GetResult()|].Reply is { } answer) return answer; return new Answer(); });")]
    [InlineData("_ = host.On(async (Ask a, Peer p) => { [|await host.StopAsync()|]; });")]
    [InlineData("_ = host.On(async (Ask a, Peer p) => [|await host.StopAsync().ConfigureAwait(false)|]);")]
    public Task Wait_of_a_handler_is_reported(string statement) => ExpectAsync(statement);

    [Theory]
    [InlineData("var answer = peer.RequestAsync(new Ask()).Result;")]
    [InlineData("_ = host.On(async (Ask a, Peer p) => { await p.RequestAsync(a); });")]
    [InlineData("_ = host.On((Ask a, Peer p) => { _ = Task.Run(() => p.RequestAsync(a).AsTask().Wait()); });")]
    [InlineData("_ = host.On((Ask a, Peer p) => { _ = Task.Run(() => System.Threading.Thread.Sleep(1)); });")]
    [InlineData("_ = host.On(async (Ask a, Peer p) => { var task = Task.Run(() => 1); await Task.WhenAny(task); Console.WriteLine(task.Result); });")]
    [InlineData("start(peer).Wait(); System.Threading.Thread.Sleep(1);")]
    [InlineData("_ = host.On(async (Ask a, Peer p) => { _ = host.StopAsync(); await Task.Yield(); });")]
    [InlineData("_ = host.On(async (Ask a, Peer p) => { _ = Task.Run(async () => await host.StopAsync()); await Task.Yield(); });")]
    [InlineData("var other = (MessageHost)null!; _ = host.On(async (Ask a, Peer p) => await other.StopAsync());")]
    public Task Wait_elsewhere_and_result_of_a_variable_are_not_reported(string statement) => ExpectAsync(statement);

    private static async Task ExpectAsync(string statement) => await AnalyzerRunner.Expect(new BlockingHandlerAnalyzer(), "RM2006", $$"""
        using System;
        using System.Threading.Tasks;
        using Reloaded.Messaging;
        using Reloaded.Messaging.Hosting;

        [Message(3)] internal record Ask : IRequest<Answer>;
        [Message(4)] internal record Answer;

        internal static class Program
        {
            private static void Test(Peer peer, MessageHost host, Func<Peer, Task> start)
            {
                {{statement}}
            }
        }
        """);
}
