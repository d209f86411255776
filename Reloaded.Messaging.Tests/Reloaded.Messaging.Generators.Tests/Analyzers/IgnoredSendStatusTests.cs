using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class IgnoredSendStatusTests
{
    [Theory]
    [InlineData("[|peer.Send(move)|];")]
    [InlineData("[|peer.Send(s_contract, move)|];")]
    [InlineData("[|client.Send(move)|];")]
    [InlineData("[|client?.Server.Send(move)|];")]
    [InlineData("if (condition) [|peer.Send(move)|];")]
    [InlineData("void Send() => [|peer.Send(move)|];")]
    [InlineData("Action send = () => [|peer.Send(move)|];")]
    [InlineData("_ = client.On((in Move received, Peer from) => [|from.Send(received)|]);")]
    public Task Status_dropped_is_reported(string statements) => Expect(Body(statements));

    [Theory]
    [InlineData("_ = peer.Send(move);")]
    [InlineData("var status = peer.Send(move);")]
    [InlineData("if (peer.Send(move) == SendStatus.Full) return;")]
    [InlineData("while (peer.Send(move) is SendStatus.Full) { }")]
    [InlineData("Func<SendStatus> send = () => peer.Send(move);")]
    [InlineData("Assert.Check(() => peer.Send(move));")]
    [InlineData("peer.Send(move).ToString();")]
    [InlineData("new List<SendStatus>().Add(peer.Send(move));")]
    public Task Status_used_or_discarded_is_not_reported(string statements) => Expect(Body(statements));

    [Fact]
    public Task Awaited_send_is_not_reported() => Expect(Members("""
        private static async Task Test(Peer peer) => await peer.SendAsync(new Move(1));
        private static async Task Test(MessageClient client) { await client.SendAsync(new Move(1)).ConfigureAwait(false); }
        """));

    [Fact]
    public Task Top_level_statement_is_reported() => Expect(
        Usings + """
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.InProcess("test"));
        [|client.Send(3)|];
        _ = client.Send(4);
        """,
        OutputKind.ConsoleApplication);

    [Fact]
    public async Task Severity_is_warning()
    {
        var found = await Expect(Body("[|peer.Send(move)|];"));

        Assert.Equal(DiagnosticSeverity.Warning, Assert.Single(found).Severity);
    }

    private const string Usings = """
        using System;
        using System.Collections.Generic;
        using System.Threading.Tasks;
        using Reloaded.Messaging;
        using Reloaded.Messaging.Hosting;

        """;

    private static string Members(string members) => Usings + $$"""
        internal readonly record struct Move(int X);

        internal static class Assert
        {
            public static void Check(Func<object> code) => code();
        }

        internal static class Program
        {
            private static readonly MessageContract<Move> s_contract = new(3, new BlittableSerializer<Move>());

        {{members}}
        }
        """;

    private static string Body(string statements) => Members($$"""
        private static void Test(Peer peer, MessageClient client, Move move, bool condition)
        {
        {{statements}}
        }
        """);

    private static Task<ImmutableArray<Diagnostic>> Expect(string source, OutputKind kind = OutputKind.DynamicallyLinkedLibrary) =>
        AnalyzerRunner.Expect(new IgnoredSendStatusAnalyzer(), "RM2004", source, kind);
}
