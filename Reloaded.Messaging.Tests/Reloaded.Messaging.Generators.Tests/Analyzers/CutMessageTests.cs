using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class CutMessageTests
{
    [Theory]
    [InlineData("_ = peer.Send<Shape>([|new Circle(\"c\", 1)|]);")]
    [InlineData("_ = peer.SendAsync<Shape>([|new Circle(\"c\", 1)|]);")]
    [InlineData("_ = peer.SendAsync<Shape>((Shape)[|new Circle(\"c\", 1)|]);")]
    [InlineData("_ = peer.SendAsync(condition ? [|new Circle(\"c\", 1)|] : new Shape(\"s\"));")]
    [InlineData("Shape shape = new Circle(\"c\", 1); _ = peer.SendAsync([|shape|]);")]
    [InlineData("var circle = new Circle(\"c\", 1); _ = host.Broadcast<Shape>([|circle|]);")]
    [InlineData("using var packed = new MessageWriter().Pack<Shape>([|new Circle(\"c\", 1)|]);")]
    [InlineData("new MessageWriter().Append<Shape>(null!, [|new Circle(\"c\", 1)|]);")]
    [InlineData("new MessageWriter().Write<Shape>(null!, [|new Circle(\"c\", 1)|]);")]
    [InlineData("_ = peer.SendAsync<Shape>([|new Dot()|]);")]
    [InlineData("_ = host.OnRequest<Ask, Answer>(a => [|new LongAnswer(\"\")|]);")]
    [InlineData("_ = host.OnRequest<Ask, Answer>(async a => { await Task.Yield(); return [|new LongAnswer(\"\")|]; });")]
    public Task Derived_message_sent_as_base_is_reported(string statement) => ExpectAsync(statement);

    [Theory]
    [InlineData("_ = peer.Send(new Circle(\"c\", 1));")]
    [InlineData("_ = peer.Send(new Shape(\"s\"));")]
    [InlineData("_ = peer.Send<Outcome>(new Loaded());")]
    [InlineData("_ = peer.Send(MessageContract.GetDeclared<Shape>(), new Circle(\"c\", 1));")]
    [InlineData("_ = peer.Send<Shape>(new Named());")]
    [InlineData("Shape shape = new Circle(\"c\", 1); shape = new Shape(\"s\"); _ = peer.SendAsync(shape);")]
    [InlineData("_ = host.OnRequest<Ask, Answer>(a => { Answer Make() { return new LongAnswer(\"\"); } return new Answer(); });")]
    [InlineData("_ = host.On<Ask>(a => { Shape Make() => new Circle(\"c\", 1); });")]
    [InlineData("Shape Make() => new Circle(\"c\", 1); _ = peer.Send(Make());")]
    public Task Message_that_loses_nothing_is_not_reported(string statement) => ExpectAsync(statement);

    internal static string Source(string statement) => HostProgram.Members($$"""
        internal record Dot() : Shape("dot") { public int X { get; init; } }
            internal record Named() : Shape("name") { public int Length => Name.Length; }

            private static void Test(Peer peer, MessageHost host, bool condition)
            {
                {{statement}}
            }
        """);

    private static async Task ExpectAsync(string statement) => await AnalyzerRunner.Expect(new CutMessageAnalyzer(), "RM2011", Source(statement));
}
