using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class DroppedRegistrationTests
{
    [Theory]
    [InlineData("[|_dispatcher.Register<Move>(Handle)|];")]
    [InlineData("[|_dispatcher.Register(s_contract, Handle)|];")]
    [InlineData("[|_dispatcher?.Register<Move>(Handle)|];")]
    [InlineData("if (condition) [|_dispatcher.Register<Move>(Handle)|];")]
    [InlineData("Action register = () => { count++; [|_dispatcher.Register<Move>(Handle)|]; };")]
    [InlineData("void Register() => [|_dispatcher.Register<Move>(Handle)|];")]
    [InlineData("Action<MessageDispatcher<int>> setUp = other => { count++; [|_dispatcher.Register<Move>(Handle)|]; };")]
    [InlineData("Action<Reloaded.Messaging.Hosting.PeerState<int>> setUp = state => { count++; [|state.On(null!, s_contract, Handle)|]; };")]
    [InlineData("Action<MessageDispatcher<int>> setUp = other => { Action inner = () => { count++; [|other.Register<Move>(Handle)|]; }; };")]
    public Task A_registration_whose_handle_is_dropped_is_reported(string statements) => Expect(Usage.Body(statements));

    [Theory]
    [InlineData("_ = _dispatcher.Register<Move>(Handle);")]
    [InlineData("var registration = _dispatcher.Register<Move>(Handle);")]
    [InlineData("using var registration = _dispatcher.Register<Move>(Handle);")]
    [InlineData("_registration = _dispatcher.Register<Move>(Handle);")]
    [InlineData("_registration ??= _dispatcher.Register<Move>(Handle);")]
    [InlineData("new List<HandlerRegistration>().Add(_dispatcher.Register<Move>(Handle));")]
    [InlineData("Func<HandlerRegistration> register = () => _dispatcher.Register<Move>(Handle);")]
    [InlineData("Assert(() => _dispatcher.Register<Move>(Handle)); static void Assert(Action throws) { }")]
    [InlineData("_dispatcher.GetCount(DispatchStatus.Handled);")]
    [InlineData("Action<MessageDispatcher<int>> setUp = other => { count++; other.Register<Move>(Handle); };")]
    [InlineData("Action<Reloaded.Messaging.Hosting.MessageServer> setUp = host => { count++; new Reloaded.Messaging.Hosting.PeerState<int>(_ => 0).On(host, s_contract, Handle); };")]
    [InlineData("Action<Reloaded.Messaging.Hosting.MessageServer> setUp = host => { host.AllowInspection(); Reloaded.Messaging.Hosting.FileTransfers.OnFile(host, (offer, token) => Task.CompletedTask); };")]
    public Task A_registration_whose_handle_is_kept_or_discarded_is_not_reported(string statements) => Expect(Usage.Body(statements));

    [Fact]
    public Task A_handle_that_a_method_keeps_and_returns_is_not_reported() => Expect(Usage.Members("""
        private HandlerRegistration Keep(HandlerRegistration registration) { _registration = registration; return registration; }
        private void Test() => Keep(_dispatcher.Register<Move>(Handle));
        """));

    [Fact]
    public Task Top_level_statements_are_looked_at() => Expect(
        Usage.Program("""
            var dispatcher = new MessageDispatcher<int>();
            [|dispatcher.RegisterRaw(3, null!)|];
            _ = dispatcher.RegisterRaw(4, null!);
            """),
        OutputKind.ConsoleApplication);

    [Fact]
    public async Task Severity_is_warning()
    {
        var found = await Expect(Usage.Body("[|_dispatcher.Register<Move>(Handle)|];"));

        Assert.Equal(DiagnosticSeverity.Warning, Assert.Single(found).Severity);
    }

    private static Task<ImmutableArray<Diagnostic>> Expect(string source, OutputKind kind = OutputKind.DynamicallyLinkedLibrary) =>
        AnalyzerRunner.Expect(new DroppedRegistrationAnalyzer(), "RM2003", source, kind);
}
