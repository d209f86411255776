using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class MissingContractTests
{
    [Theory]
    [InlineData("_ = [|peer.Send(new Plain())|];")]
    [InlineData("_ = [|peer.Send((object)new Sent())|];")]
    [InlineData("_ = [|peer.Send<IPart>(new Plain())|];")]
    [InlineData("_ = [|host.Broadcast(new Plain())|];")]
    [InlineData("_ = [|host.On((Plain p) => { })|];")]
    [InlineData("_ = [|host.OnRequest((Sent s) => new Plain())|];")]
    [InlineData("_ = [|peer.RequestAsync<Plain, Sent>(new Plain())|];")]
    [InlineData("_ = [|new MessageWriter().Pack(new Plain())|];")]
    [InlineData("[|new MessageWriter().Append(null!, new Plain())|];")]
    [InlineData("[|new MessageWriter().Write(null!, new Plain())|];")]
    [InlineData("_ = [|new MessageDispatcher<int>().Register((in Plain p, ref int s) => { })|];")]
    [InlineData("_ = [|host.OnStream((Sent s, Peer p, System.Threading.CancellationToken t) => Items())|];")]
    [InlineData("_ = [|host.OnStream((Sent s, System.Collections.Generic.IAsyncEnumerable<Plain> p, System.Threading.CancellationToken t) => (System.Collections.Generic.IAsyncEnumerable<Sent>)null!)|];")]
    [InlineData("_ = [|peer.StreamAsync<Sent, Plain>(new Sent())|];")]
    [InlineData("_ = [|host.Events<Plain>()|];")]
    [InlineData("[|host.Deliver<Plain>(DeliveryMode.Unreliable)|];")]
    [InlineData("_ = [|MessageContract.GetDeclared<Plain>()|];")]
    public Task Type_without_contract_is_reported(string statement) => ExpectAsync(statement);

    [Theory]
    [InlineData("_ = peer.Send(new Sent());")]
    [InlineData("_ = peer.Send(3);")]
    [InlineData("_ = peer.Send(s_own, new Own());")]
    [InlineData("_ = peer.Send(new Own());")]
    [InlineData("_ = host.On((Own o, Peer p) => { });")]
    [InlineData("_ = Forward(peer, new Sent());")]
    public Task Type_with_contract_is_not_reported(string statement) => ExpectAsync(statement);

    [Fact]
    public Task Nothing_is_reported_where_a_method_creates_contracts_of_any_type() =>
        ExpectAsync("_ = peer.Send(new Plain());", "private static void Declare<T>(uint id, IMessageSerializer<T> serializer) => _ = new MessageContract<T>(id, serializer).Declare();");

    private static async Task ExpectAsync(string statement, string member = "") => await AnalyzerRunner.Expect(new MissingContractAnalyzer(), "RM2005", $$"""
        using Reloaded.Messaging;
        using Reloaded.Messaging.Hosting;

        internal interface IPart { }
        internal struct Plain : IPart { }
        internal struct Own { }
        [Message(3)] internal struct Sent { }

        internal static class Program
        {
            private static readonly MessageContract<Own> s_own = new(4, new BlittableSerializer<Own>());

            private static SendStatus Forward<T>(Peer peer, T message) => peer.Send(message);

            private static System.Collections.Generic.IAsyncEnumerable<Plain> Items() => null!;

            {{member}}

            private static void Test(Peer peer, MessageHost host)
            {
                {{statement}}
            }
        }
        """);
}
