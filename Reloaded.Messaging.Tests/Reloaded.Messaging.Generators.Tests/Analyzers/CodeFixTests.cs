using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Generators.CodeFixes;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

/// <summary>The code fixes, applied to what the analyzers report. They need workspaces, which a compiler alone has not.</summary>
public sealed class CodeFixTests
{
    [Theory]
    [InlineData("_ = host.On((Ask a, Peer p) => p.SendAsync(a));", "_ = host.On(async (Ask a, Peer p) => await p.SendAsync(a));")]
    [InlineData("_ = host.On<Ask>((a, p) => { start(p); });", "_ = host.On<Ask>(async (a, p) => { await start(p); });")]
    [InlineData("_ = host.OnRequest((Ask a, Peer p) => { p.SendAsync(a); return new Answer(); });", "_ = host.OnRequest(async (Ask a, Peer p) => { await p.SendAsync(a); return new Answer(); });")]
    [InlineData("_ = host.On((in Ask a, Peer p) => { p.SendAsync(new Other()); });", null)]
    [InlineData("_ = host.On((Ask a, Peer p) => { p?.SendAsync(a); });", null)]
    public async Task Fix_awaits_the_call_in_an_asynchronous_lambda(string statement, string? expected) =>
        Assert.Equal(expected is null ? null : HostProgram.Body(expected), await FixRunner.Fix(new DroppedTaskAnalyzer(), new AwaitInHandlerFix(), HostProgram.Body(statement)));

    [Theory]
    [InlineData("_ = host.On<Ask>(Handle);", "async void Handle(", "async Task Handle(")]
    [InlineData("_ = host.On<Suspend>(Local); async void Local(Suspend suspend) => await Task.Yield();", "async void Local(", "async Task Local(")]
    public async Task Fix_returns_a_task_from_the_method(string statement, string before, string after) =>
        Assert.Equal(AsyncVoidTests.Source(statement).Replace(before, after, StringComparison.Ordinal), await FixRunner.Fix(new AsyncVoidAnalyzer(), new AsyncHandlerFix(), AsyncVoidTests.Source(statement)));

    [Theory]
    [InlineData("_ = MessageHost.ListenAsync(MessageEndpoint.InProcess(\"x\"), async server => await Task.Yield());")]
    [InlineData("_ = host.On((Action<Ask>)(async a => await Task.Yield()));")]
    public async Task Fix_is_not_offered_where_no_form_takes_the_function(string statement) =>
        Assert.Null(await FixRunner.Fix(new AsyncVoidAnalyzer(), new AsyncHandlerFix(), AsyncVoidTests.Source(statement)));

    [Theory]
    [InlineData("_ = peer.SendAsync<Shape>(new Circle(\"c\", 1));", "_ = peer.SendAsync(new Circle(\"c\", 1));")]
    [InlineData("_ = peer.SendAsync<Shape>(new Dot());", null)]
    [InlineData("Shape shape = new Circle(\"c\", 1); _ = peer.SendAsync<Shape>(shape);", null)]
    public async Task Fix_sends_message_as_its_own_type(string statement, string? expected) =>
        Assert.Equal(expected is null ? null : CutMessageTests.Source(expected), await FixRunner.Fix(new CutMessageAnalyzer(), new OwnTypeFix(), CutMessageTests.Source(statement)));

    [Theory]
    [InlineData("_ = host.OnRequest((Load l) => new Loaded());", "_ = host.OnRequest<Load, Outcome>((Load l) => new Loaded());")]
    [InlineData("_ = host.OnRequest<Load, Loaded>(async l => { await Task.Yield(); return new Loaded(); });", "_ = host.OnRequest<Load, Outcome>(async l => { await Task.Yield(); return new Loaded(); });")]
    [InlineData("_ = host.OnRequest((Ask a) => new Other());", null)]
    [InlineData("_ = host.OnRequest((Load l) => Task.FromResult(new Loaded()));", null)]
    public async Task Fix_names_the_declared_reply_of_derived_one(string statement, string? expected) =>
        Assert.Equal(expected is null ? null : HostProgram.Body(expected), await FixRunner.Fix(new ReplyTypeAnalyzer(), new DeclaredReplyFix(), HostProgram.Body(statement)));
}
