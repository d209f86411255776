using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class RequestAsEventTests
{
    [Theory]
    [InlineData("_ = host.[|On|]((Ask a) => { });", "OnRequest")]
    [InlineData("_ = host?.[|On|]((in Suspend s, Peer p) => { });", "OnRequest")]
    [InlineData("_ = host.[|On|](async (Ask a, Peer p, CancellationToken t) => await Task.Yield());", "OnRequest")]
    [InlineData("_ = host.[|On|]((Tail t) => { });", "OnStream")]
    [InlineData("_ = peer.[|Send|](new Ask());", "RequestAsync")]
    [InlineData("_ = peer.[|SendAsync|](new Suspend());", "RequestAsync")]
    [InlineData("_ = peer.[|Send|](new Tail());", "StreamAsync")]
    [InlineData("host.[|Broadcast|](new Ask());", "RequestAsync")]
    public async Task Request_as_an_event_is_reported_with_the_right_method(string statement, string method) =>
        Assert.Contains($"Use '{method}'", Assert.Single(await ExpectAsync(HostProgram.Body(statement))).GetMessage(null), System.StringComparison.Ordinal);

    [Theory]
    [InlineData("_ = host.On((Other o) => { });")]
    [InlineData("_ = peer.Send(new Other());")]
    [InlineData("_ = host.OnRequest((Ask a) => new Answer());")]
    [InlineData("_ = peer.RequestAsync(new Ask());")]
    [InlineData("_ = peer.Send(MessageContract.GetDeclared<Ask>(), new Ask());")]
    public async Task Event_or_request_is_not_reported(string statement) => Assert.Empty(await ExpectAsync(HostProgram.Body(statement)));

    [Fact]
    public async Task Generic_code_is_not_reported() => Assert.Empty(await ExpectAsync(HostProgram.Members(
        "private static void Register<T>(MessageHost host, Action<T> handler) where T : IRequest => host.On((T message, Peer p) => handler(message));")));

    private static Task<System.Collections.Immutable.ImmutableArray<Microsoft.CodeAnalysis.Diagnostic>> ExpectAsync(string program) => AnalyzerRunner.Expect(new RequestAsEventAnalyzer(), "RM2014", program);
}
