using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Hostile;

public sealed class HostileStreamTests
{
    private const int Inputs = 100_000;

    [Fact]
    public void A_hostile_header_that_is_accepted_is_the_one_encoding_of_what_it_means()
    {
        var inputs = new HostileInputs(HostileSeed.Pack(new HostileTargets(new ReadCounter())), 4711);
        var noise = new Noise(4712);
        Span<byte> written = stackalloc byte[MessageHeader.MaxSize];
        var extended = new byte[MessageHeader.MaxSize + 1];
        var accepted = 0;
        for (var i = 0; i < Inputs; i++)
        {
            var input = inputs.Next();
            if (i % 2 == 0)
            {
                noise.Fill(extended);
                extended[0] |= 0x7F;
                extended[1] &= (byte)noise.Next();
                extended[1] &= (byte)noise.Next();
                input = extended;
            }

            if (MessageHeader.TryRead(input, out var header, out var size) != HeaderStatus.Ok)
                continue;

            accepted++;
            Assert.Equal(size, header.Write(written));
            Assert.True(input.Slice(0, size).SequenceEqual(written.Slice(0, size)), Convert.ToHexString(input));
        }

        Assert.InRange(accepted, Inputs / 4, Inputs);
    }

    [Fact]
    public void A_hostile_stream_is_cut_into_frames_until_it_ends_or_breaks()
    {
        var noise = new Noise(4713);
        Span<byte> bytes = stackalloc byte[64];
        var frames = 0;
        for (var i = 0; i < Inputs; i++)
        {
            var length = noise.Below(bytes.Length + 1);
            noise.Fill(bytes.Slice(0, length));
            for (var k = 0; k < length; k++)
                bytes[k] >>= noise.Below(8);

            ReadOnlySpan<byte> source = bytes.Slice(0, length);
            var before = source;
            while (Frame.TryRead(ref source, 40, out var message) == FrameStatus.Ok)
            {
                frames++;
                Assert.InRange(message.Length, 1, 40);
                Assert.True(before.Slice(1, message.Length).SequenceEqual(message)); // up to 127 bytes the length takes one
                Assert.Equal(before.Length - 1 - message.Length, source.Length);
                before = source;
            }

            Assert.True(before == source, "A failed read moved on.");
        }

        Assert.True(frames > Inputs, $"Only {frames} frames were found.");
    }
}
