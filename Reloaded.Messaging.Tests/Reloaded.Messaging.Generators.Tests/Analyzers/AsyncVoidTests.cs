using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class AsyncVoidTests
{
    private const string Methods = """
        private static async void Handle(Ask ask) => await Task.Yield();
            private static async void HandleFrom(Ask ask, Peer from) => await Task.Yield();
            private static async Task HandleAsync(Ask ask) => await Task.Yield();
            private static void HandleNow(Ask ask) { }
            private static void Take(Action<Ask> handler) { }
        """;

    [Theory]
    [InlineData("_ = host.On<Ask>([|Handle|]);")]
    [InlineData("_ = host.On<Ask>([|HandleFrom|]);")]
    [InlineData("_ = host.OnRequest<Suspend>([|Local|]); async void Local(Suspend suspend) => await Task.Yield();")]
    [InlineData("_ = host.On([|(Action<Ask>)(async a => await Task.Yield())|]);")]
    [InlineData("_ = MessageHost.ListenAsync(MessageEndpoint.InProcess(\"x\"), [|async server => await Task.Yield()|]);")]
    public Task Async_void_callback_is_reported(string statement) => ExpectAsync(statement);

    [Theory]
    [InlineData("_ = host.On<Ask>(HandleAsync);")]
    [InlineData("_ = host.On<Ask>(HandleNow);")]
    [InlineData("_ = host.On<Ask>(async a => await Task.Yield());")]
    [InlineData("_ = host.On<Ask>(a => Handle(a));")]
    [InlineData("host.PeerConnected += async (p) => await Task.Yield();")]
    [InlineData("Take(Handle);")]
    public Task Other_callback_is_not_reported(string statement) => ExpectAsync(statement);

    internal static string Source(string statement) => HostProgram.Members($$"""
        private static void Test(Peer peer, MessageHost host)
            {
                {{statement}}
            }

            {{Methods}}
        """);

    private static async Task ExpectAsync(string statement) => await AnalyzerRunner.Expect(new AsyncVoidAnalyzer(), "RM2009", Source(statement));
}
