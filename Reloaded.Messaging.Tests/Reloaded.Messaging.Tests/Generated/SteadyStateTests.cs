using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

[Quiet]
public sealed class SteadyStateTests
{
    private static readonly MessageWriter s_writer = new();

    [Fact]
    public void Interned_strings_are_one_string()
    {
        var payload = Payload.Of(new InternedForm("reloaded.universal.redirector"));
        Assert.Same(Payload.Read<InternedForm>(payload).Value, Payload.Read<InternedForm>(payload).Value);
        Assert.NotSame(Payload.Read<StringForm>(payload).Value, Payload.Read<StringForm>(payload).Value);

        var nest = Payload.Of(SampleValues.FullNest());
        Assert.Same(Payload.Read<PooledNest>(nest).Map![1][0], Payload.Read<PooledNest>(nest).Map![1][0]);
    }

    [Fact]
    public void A_pooled_and_interned_message_is_sent_and_received_without_allocating()
    {
        var sent = SampleValues.FullNest();
        sent.Array = []; // arrays are new, but for empty ones
        sent.Inner!.Array = null;
        var dispatcher = new MessageDispatcher<long>();
        dispatcher.Register<PooledNest>(static (in PooledNest message, ref long state) => state += message.Lists!.Count);
        long sum = 0;
        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            using var packed = s_writer.Pack(sent);
            dispatcher.Dispatch(packed.Span, ref sum);
        }));
        Assert.True(sum >= 2000, "Nothing was received.");
    }

    [Fact]
    public void Writing_every_fixed_size_member_allocates_nothing()
    {
        var most = LibraryBuild.IsNetStandard ? 40_000 : 0; // there decimal.GetBits makes an array
        Assert.InRange(Allocation.OfThousand(static () => s_writer.Pack(RoundTripTests.SomeScalars).Dispose()), 0, most);
    }
}
