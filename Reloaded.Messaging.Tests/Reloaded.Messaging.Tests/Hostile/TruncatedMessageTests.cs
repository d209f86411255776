using Xunit;

namespace Reloaded.Messaging.Tests.Hostile;

public sealed class TruncatedMessageTests
{
    private static readonly HostileTargets s_targets = new(new ReadCounter());

    public static TheoryData<int> Targets { get; } = [.. Indices()];

    [Theory]
    [MemberData(nameof(Targets))]
    public async Task Every_truncation_of_a_packed_message_is_refused_unless_what_is_left_is_a_message(int index)
    {
        var target = s_targets.All[index];
        var dispatcher = MakeDispatcher(target);
        foreach (var message in target.PackSamples(new MessageWriter(HostileTargets.Limits)))
        {
            var good = HostileSeed.Read(message);
            Assert.Equal(DispatchStatus.Handled, await dispatcher.DispatchAsync(message, 0));
            for (var length = 0; length < message.Length; length++)
            {
                var status = await dispatcher.DispatchAsync(message.AsSpan(0, length), 0);
                if (length < good.HeaderSize)
                    Assert.Equal(DispatchStatus.Malformed, status);
                else if (good.Header.IsCompressed)
                    Assert.Equal(DispatchStatus.CorruptPayload, status);
                else
                    Assert.Equal(IsWhole(target, message, length) ? DispatchStatus.Handled : DispatchStatus.InvalidPayload, status);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Targets))]
    public async Task Both_ways_to_dispatch_give_a_hostile_input_the_same_status(int index)
    {
        var target = s_targets.All[index];
        var dispatcher = MakeDispatcher(target);
        var inputs = new HostileInputs(Array.ConvertAll(target.PackSamples(new MessageWriter(HostileTargets.Limits)).ToArray(), HostileSeed.Read), 42);
        for (var i = 0; i < 2000; i++)
        {
            var input = inputs.Next().ToArray();
            long calls = 0;
            var status = dispatcher.Dispatch(input, ref calls);
            var later = await dispatcher.DispatchAsync(input, 0);
            if (status == DispatchStatus.HandlerIsAsync)
                Assert.True(target.IsAsync && later is DispatchStatus.Handled or DispatchStatus.InvalidPayload or DispatchStatus.Malformed, $"{later}");
            else
                Assert.Equal(status, later);
        }
    }

    [Theory]
    [MemberData(nameof(Targets))]
    public void An_empty_message_is_malformed(int index)
    {
        var dispatcher = MakeDispatcher(s_targets.All[index]);
        long calls = 0;
        Assert.Equal(DispatchStatus.Malformed, dispatcher.Dispatch(default, ref calls));
        Assert.Equal(1, dispatcher.GetCount(DispatchStatus.Malformed));
        Assert.Equal(0, calls);
    }

    [Theory]
    [MemberData(nameof(Targets))]
    public void A_message_above_the_limit_is_too_large_whatever_it_is(int index)
    {
        var target = s_targets.All[index];
        var dispatcher = MakeDispatcher(target);
        var sample = target.PackSamples(new MessageWriter(HostileTargets.Limits))[0];
        var message = new byte[HostileTargets.MaxMessageSize + 1];
        sample.CopyTo(message, 0);

        long calls = 0;
        Assert.Equal(DispatchStatus.TooLarge, dispatcher.Dispatch(message, ref calls));
        Assert.NotEqual(DispatchStatus.TooLarge, dispatcher.Dispatch(message.AsSpan(0, HostileTargets.MaxMessageSize), ref calls));
        Assert.Equal(1, dispatcher.GetCount(DispatchStatus.TooLarge));
    }

    private static MessageDispatcher<long> MakeDispatcher(HostileTarget target)
    {
        var dispatcher = new MessageDispatcher<long>(HostileTargets.Limits);
        target.Register(dispatcher);
        return dispatcher;
    }

    /// <summary>Bytes may end anywhere, and text between two characters; JSON and structs are whole or nothing.</summary>
    private static bool IsWhole(HostileTarget target, byte[] message, int length) => target.Contract.SerializerName switch
    {
        "raw" => true,
        "utf8" => (message[length] & 0xC0) != 0x80,
        _ => false,
    };

    private static IEnumerable<int> Indices()
    {
        for (var i = 0; i < s_targets.All.Count; i++)
            yield return i;
    }
}
