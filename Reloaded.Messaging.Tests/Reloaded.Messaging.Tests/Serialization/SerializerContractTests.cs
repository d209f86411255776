using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>What every serializer has to do.</summary>
/// <typeparam name="T">The message that this one is tried with.</typeparam>
public abstract class SerializerContractTests<T>
{
    protected abstract IMessageSerializer<T> Serializer { get; }

    /// <summary>At least two messages that differ.</summary>
    protected abstract T[] Samples { get; }

    [Fact]
    public void It_has_a_name() => Assert.Matches("^[a-z0-9]+$", Serializer.Name);

    [Fact]
    public void What_was_serialized_comes_back()
    {
        Assert.InRange(Samples.Length, 2, 100);
        Assert.All(Samples, sample => AssertSame(sample, Deserialize(Serialize(sample))));
    }

    [Fact]
    public void It_appends_behind_what_the_buffer_holds_and_leaves_that_alone()
    {
        foreach (var sample in Samples)
        {
            var buffer = new MessageBuffer(home: null);
            buffer.Write([1, 2, 3]);
            Serializer.Serialize(in sample, buffer);
            Serializer.Serialize(in sample, buffer);

            var payload = Serialize(sample);
            Assert.Equal([1, 2, 3, .. payload, .. payload], buffer.Written.ToArray());
        }
    }

    [Fact]
    public void A_message_does_not_refer_to_the_payload_it_was_read_from()
    {
        foreach (var sample in Samples)
        {
            var payload = Serialize(sample);
            var value = Deserialize(payload);
            payload.AsSpan().Fill(MessagePool.Poison);

            AssertSame(sample, value);
        }
    }

    [Fact]
    public void Any_bytes_are_refused_or_are_a_message_that_comes_back()
    {
        var random = new Random(9);
        var tried = 0;
        foreach (var payload in Samples.Select(Serialize).SelectMany(payload => Damage(payload, random)))
        {
            tried++;
            if (!Serializer.TryDeserialize(payload, out var value))
                continue;
            Assert.NotNull(value);
            AssertSame(value, Deserialize(Serialize(value)));
        }

        Assert.InRange(tried, 400, 100_000);
    }

    [Fact]
    public void Null_is_refused_by_the_sender() =>
        Assert.Equal(default(T) is null, Record.Exception(() => Serialize(default!)) is ArgumentNullException);

    [Fact]
    public void Two_threads_may_use_it_at_once()
    {
        var serializer = Serializer;
        var threads = Enumerable.Range(0, 2).Select(thread => OtherThread.Start(() =>
        {
            var buffer = new MessageBuffer(home: null);
            for (var i = 0; i < 500; i++)
            {
                var sample = Samples[(i + thread) % Samples.Length];
                buffer.Restart(int.MaxValue);
                serializer.Serialize(in sample, buffer);
                Assert.True(serializer.TryDeserialize(buffer.Written, out var value));
                AssertSame(sample, value);
            }
        })).ToArray();

        Assert.All(threads, OtherThread.Join);
    }

    [Fact]
    public void It_may_be_used_for_two_buffers_in_turns()
    {
        var outer = new MessageBuffer(home: null);
        var inner = new MessageBuffer(home: null);

        Serializer.Serialize(in Samples[0], outer);
        Serializer.Serialize(in Samples[1], inner);
        Serializer.Serialize(in Samples[0], outer);

        var payload = Serialize(Samples[0]);
        Assert.Equal([.. payload, .. payload], outer.Written.ToArray());
        Assert.Equal(Serialize(Samples[1]), inner.Written.ToArray());
    }

    protected virtual void AssertSame(T expected, T actual) => Assert.Equal(expected, actual);

    protected byte[] Serialize(T value)
    {
        var buffer = new MessageBuffer(home: null);
        Serializer.Serialize(in value, buffer);
        return buffer.Written.ToArray();
    }

    protected T Deserialize(byte[] payload)
    {
        Assert.True(Serializer.TryDeserialize(payload, out var value));
        return value;
    }

    /// <summary>Every truncation, a byte more, and bits flipped and bytes replaced at random places.</summary>
    private static IEnumerable<byte[]> Damage(byte[] payload, Random random)
    {
        for (var length = 0; length < Math.Min(payload.Length, 200); length++)
            yield return payload[..length];
        yield return [.. payload, 0];
        for (var i = 0; i < 400; i++)
        {
            var damaged = payload.Length == 0 ? new byte[1 + random.Next(20)] : payload.ToArray();
            damaged[random.Next(damaged.Length)] ^= (byte)(1 << random.Next(8));
            if (i % 2 == 0)
                damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
            yield return damaged;
        }
    }
}
