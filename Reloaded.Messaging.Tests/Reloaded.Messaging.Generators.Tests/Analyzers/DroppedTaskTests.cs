using System.Threading.Tasks;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class DroppedTaskTests
{
    [Theory]
    [InlineData("_ = host.On((Ask a, Peer p) => [|p.SendAsync(a)|]);")]
    [InlineData("_ = host.On<Ask>((a, p) => { [|start(p)|]; });")]
    [InlineData("_ = host.On((in Ask a, Peer p) => { [|p.RequestAsync(a)|]; });")]
    public Task Task_dropped_by_a_handler_is_reported(string statement) => ExpectAsync(statement);

    [Theory]
    [InlineData("_ = host.On(async (Ask a, Peer p) => await p.SendAsync(a));")]
    [InlineData("_ = host.On((Ask a, Peer p) => start(p));")]
    [InlineData("_ = host.On((Ask a, Peer p) => { _ = p.SendAsync(a); });")]
    [InlineData("_ = host.On((Ask a, Peer p) => p.Send(a));")]
    [InlineData("start(peer);")]
    public Task Task_kept_awaited_or_discarded_is_not_reported(string statement) => ExpectAsync(statement);

    private static async Task ExpectAsync(string statement) => await AnalyzerRunner.Expect(new DroppedTaskAnalyzer(), "RM2007", $$"""
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
