using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class ReplyTypeTests
{
    [Theory]
    [InlineData("_ = host.[|OnRequest|]((Ask a) => new Other());")]
    [InlineData("_ = host.[|OnRequest|]((Ask a) => 5);")]
    [InlineData("_ = host?.[|OnRequest|](async (Ask a, Peer p) => { await Task.Yield(); return new Other(); });")]
    [InlineData("_ = host.[|OnRequest<Ask, Other>|](a => new Other());")]
    [InlineData("_ = host.[|OnRequest|]((Ask a) => { });")]
    [InlineData("_ = host.[|OnRequest|](async (Ask a) => await Task.Yield());")]
    [InlineData("_ = host.[|OnRequest|]((Suspend s) => new Answer());")]
    [InlineData("_ = host.[|OnRequest|]((Load l) => new Loaded());")]
    [InlineData("_ = host.[|OnAuthenticate<Ask, Other>|]((a, p, t) => new(new Other()));")]
    [InlineData("_ = peer.[|RequestAsync<Ask, Other>|](new Ask());")]
    [InlineData("_ = peer.[|TryRequestAsync<Suspend, Answer>|](new Suspend());")]
    [InlineData("_ = host.[|OnStream|]((Tail t, CancellationToken token) => Array.Empty<Other>().ToAsyncEnumerable());")]
    [InlineData("_ = peer.[|StreamAsync<Tail, Other>|](new Tail());")]
    [InlineData("_ = host.[|OnStream|]((Tail t, System.Collections.Generic.IAsyncEnumerable<Answer> items, CancellationToken token) => Array.Empty<Other>().ToAsyncEnumerable());")]
    public Task Reply_other_than_declared_is_reported(string statement) => ExpectAsync(HostProgram.Body(statement));

    [Theory]
    [InlineData("_ = host.OnRequest((Ask a) => new Answer());")]
    [InlineData("_ = host.OnRequest((Ask a) => condition ? null : new Answer());")]
    [InlineData("_ = host.OnRequest<Ask, Answer>(a => new LongAnswer(\"\"));")]
    [InlineData("_ = host.OnRequest((Suspend s) => { });")]
    [InlineData("_ = host.OnRequest<Load, Outcome>(l => new Loaded());")]
    [InlineData("_ = host.OnRequest((Other o) => new Answer());")]
    [InlineData("_ = host.OnRequest((Other o) => { });")]
    [InlineData("_ = host.OnRequest(MessageContract.GetDeclared<Ask>(), MessageContract.GetDeclared<Other>(), (in Ask a, Peer p) => new Other());")]
    [InlineData("_ = peer.RequestAsync(new Ask());")]
    [InlineData("_ = host.OnStream((Tail t, CancellationToken token) => Array.Empty<Answer>().ToAsyncEnumerable());")]
    [InlineData("_ = host.OnStream((Tail t, System.Collections.Generic.IAsyncEnumerable<Other> items, CancellationToken token) => Array.Empty<Answer>().ToAsyncEnumerable());")]
    [InlineData("_ = peer.StreamAsync(new Tail(), Array.Empty<Other>().ToAsyncEnumerable());")]
    [InlineData("_ = peer.StreamAsync(new Tail());")]
    [InlineData("_ = peer.StreamAsync<Tail, Answer>(new Tail());")]
    [InlineData("_ = peer.StreamAsync<Other, Answer>(new Other());")]
    [InlineData("_ = peer.RequestAsync<Suspend, Acknowledgement>(new Suspend());")]
    [InlineData("_ = peer.RequestAsync<Ask, Answer>(new Ask());")]
    public Task Declared_reply_is_not_reported(string statement) => ExpectAsync(HostProgram.Body(statement));

    [Fact]
    public Task Generic_handler_is_not_reported() => ExpectAsync(HostProgram.Members("""
        private static void Register<TRequest, TReply>(MessageHost host, Func<TRequest, TReply> handler) where TRequest : IRequest<TReply> => host.OnRequest(handler);
        private static void RegisterAny<TReply>(MessageHost host, Func<Ask, TReply> handler) => host.OnRequest(handler);
        """));

    [Fact]
    public Task Handler_class_is_reported_once() => ExpectAsync(HostProgram.Members("""
            private class [|Handler|] : Reloaded.Messaging.Extensions.Hosting.IRequestHandler<Ask, Other> { }
            private class Derived : Handler { }
            private class Right : Reloaded.Messaging.Extensions.Hosting.IRequestHandler<Ask, Answer> { }
        }

        namespace Reloaded.Messaging.Extensions.Hosting
        {
            internal interface IRequestHandler<TRequest, TReply, TFrom> { }
            internal interface IRequestHandler<TRequest, TReply> : IRequestHandler<TRequest, TReply, Peer> { }
        """));

    [Fact]
    public async Task Report_is_an_error_and_names_both_replies()
    {
        var found = await ExpectAsync(HostProgram.Body("_ = host.[|OnRequest|]((Ask a) => { });"));

        var one = Assert.Single(found);
        Assert.Equal(DiagnosticSeverity.Error, one.Severity);
        Assert.Equal("'Ask' declares the reply 'Answer', but 'OnRequest' uses no reply. Use the declared reply, or change the declaration.", one.GetMessage(null));
    }

    private static Task<System.Collections.Immutable.ImmutableArray<Diagnostic>> ExpectAsync(string source) => AnalyzerRunner.Expect(new ReplyTypeAnalyzer(), "RM2008", source);
}
