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
    [InlineData("_ = new MessageDispatcher<Peer>().Register((in Ask a, ref Peer p) => { [|p.SendAsync(a)|]; });")]
    [InlineData("_ = host.OnStream((Tail t, Peer p, CancellationToken c) => { [|p.SendAsync(t)|]; return AsyncEnumerable.Empty<Answer>(); });")]
    public Task Task_dropped_by_a_handler_is_reported(string statement) => ExpectAsync("RM2007", HostProgram.Body(statement));

    [Theory]
    [InlineData("[|peer.SendAsync(new Other())|];")]
    [InlineData("[|peer.RequestAsync(new Ask())|];")]
    [InlineData("[|peer.TryRequestAsync(new Ask()).AsTask()|];")]
    [InlineData("[|peer.SendAsync(new Other()).ConfigureAwait(false)|];")]
    [InlineData("[|peer?.SendAsync(new Other())|];")]
    [InlineData("[|mods.SuspendAsync(\"ui\")|];")]
    [InlineData("if (condition) [|peer.SendAsync(new Other())|];")]
    [InlineData("new List<Peer>().ForEach(p => [|p.SendAsync(new Other())|]);")]
    [InlineData("void Local() => [|peer.SendAsync(new Other())|];")]
    public Task Task_dropped_by_synchronous_code_is_reported(string statement) => ExpectAsync("RM2010", HostProgram.Body(statement));

    [Fact]
    public Task Task_dropped_by_a_method_that_is_a_handler_is_reported() => ExpectAsync("RM2010", HostProgram.Members("""
        private static void Register(MessageHost host) => _ = host.On<Ask>(OnAsk);
        private static void OnAsk(Ask ask, Peer from) { [|from.SendAsync(new Other())|]; }
        """));

    [Theory]
    [InlineData("_ = host.On(async (Ask a, Peer p) => await p.SendAsync(a));")]
    [InlineData("_ = host.On((Ask a, Peer p) => start(p));")]
    [InlineData("_ = host.On((Ask a, Peer p) => { _ = p.SendAsync(a); });")]
    [InlineData("_ = host.On((Ask a, Peer p) => p.Send(a));")]
    [InlineData("_ = peer.SendAsync(new Other());")]
    [InlineData("var task = peer.SendAsync(new Other());")]
    [InlineData("async Task Local() { peer.SendAsync(new Other()); await Task.Yield(); }")]
    [InlineData("Func<ValueTask<SendStatus>> send = () => peer.SendAsync(new Other());")]
    [InlineData("start(peer);")]
    [InlineData("host.DisposeAsync();")]
    public Task Task_kept_awaited_or_discarded_is_not_reported(string statement) => ExpectAsync("", HostProgram.Body(statement));

    private static async Task ExpectAsync(string id, string source) => await AnalyzerRunner.Expect(new DroppedTaskAnalyzer(), id, source);
}
