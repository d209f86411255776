using Xunit;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>What generated serializers make of messages from a bad peer. What they read is written, read and written again: <see cref="GeneratedTarget"/>.</summary>
public sealed class GeneratedMessageTests(ITestOutputHelper output)
{
    public static TheoryData<int> Targets { get; } = [.. Indices()];

    [Fact]
    public void Every_hostile_payload_is_handled_or_invalid_within_its_memory_and_leaves_nothing_for_the_next()
    {
        var targets = GeneratedTargets.Make();
        var share = (HostileAttack.Inputs + targets.Count - 1) / targets.Count;
        long handled = 0;
        foreach (var target in targets)
        {
            var inputs = new Mutations(target, 20_261_121);
            WarmUp(target);
            long read = 0;
            for (long i = 0; i < share; i++)
            {
                if (Receive(target, inputs.Next()) == DispatchStatus.Handled)
                    read++;
                if (i % 2 == 0)
                    AssertGood(target, target.Samples[(int)(i / 2 % target.Samples.Count)]);
            }

            handled += read;
            Assert.True(read < share, $"No {target.Name} was refused.");
            Assert.True(read > 0, $"No {target.Name} was read.");
        }

        output.WriteLine($"{"GeneratedInputs",-18}{share * targets.Count,12}");
        output.WriteLine($"{"GeneratedHandled",-18}{handled,12}");
    }

    [Theory]
    [MemberData(nameof(Targets))]
    public void Every_truncation_and_every_flipped_bit_is_handled_or_invalid(int index)
    {
        var target = GeneratedTargets.Make()[index];
        WarmUp(target);
        foreach (var sample in target.Samples)
        {
            AssertGood(target, sample);
            for (var length = 1; length < sample.Length; length++)
            {
                Receive(target, sample.AsSpan(0, length));
                AssertGood(target, sample);
            }

            for (var bit = 8; bit < sample.Length * 8; bit++)
            {
                var broken = (byte[])sample.Clone();
                broken[bit / 8] ^= (byte)(1 << (bit % 8));
                Receive(target, broken);
                AssertGood(target, sample);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Targets))]
    public void Every_byte_in_every_place_is_handled_or_invalid(int index)
    {
        var target = GeneratedTargets.Make()[index];
        WarmUp(target);
        foreach (var sample in target.Samples)
        {
            for (var at = 1; at < Math.Min(sample.Length, 200); at++)
            {
                var broken = (byte[])sample.Clone();
                for (var value = 0; value < 256; value++)
                {
                    broken[at] = (byte)value;
                    Receive(target, broken);
                }
            }
        }
    }

    private static DispatchStatus Receive(GeneratedTarget target, ReadOnlySpan<byte> input)
    {
        DispatchStatus status;
        try
        {
            status = target.Receive(input);
        }
        catch (Exception escaped)
        {
            throw new InvalidOperationException($"{target.Name} threw for {Convert.ToHexString(input)}.", escaped);
        }

        if (status is not (DispatchStatus.Handled or DispatchStatus.InvalidPayload))
            throw new InvalidOperationException($"{target.Name} is {status} for {Convert.ToHexString(input)}.");
        if (target.Allocated > Bound.Of(input.Length))
            throw new InvalidOperationException($"{target.Name} took {target.Allocated} B for {Convert.ToHexString(input)}.");
        return status;
    }

    /// <summary>A good message reads as itself, whatever came before: nothing of that is left in what was rented.</summary>
    private static void AssertGood(GeneratedTarget target, byte[] sample)
    {
        if (target.Receive(sample) != DispatchStatus.Handled || !target.Written.SequenceEqual(sample))
            throw new InvalidOperationException($"{target.Name}: {Convert.ToHexString(sample)} was read as {Convert.ToHexString(target.Written)}.");
    }

    /// <summary>Gets what is allocated once out of the way, the pools' own arrays too.</summary>
    private static void WarmUp(GeneratedTarget target)
    {
        var inputs = new Mutations(target, 1);
        for (var i = 0; i < 500; i++)
            target.Receive(inputs.Next());
    }

    private static IEnumerable<int> Indices()
    {
        for (var i = 0; i < GeneratedTargets.Make().Count; i++)
            yield return i;
    }
}
