using Xunit;

namespace Reloaded.Messaging.Tests.Packing;

public sealed class AppendAllTests
{
    private readonly MessageWriter _writer = new();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(17)]
    [InlineData(5000)]
    public void TryAppendAll_of_structs_writes_what_one_call_each_writes(int count)
    {
        var values = Positions(count);
        using var expected = new MessageBatch();
        using var batch = new MessageBatch();
        _writer.Append(expected, PackingContracts.Text, "a");
        _writer.Append(batch, PackingContracts.Text, "a");
        foreach (var value in values)
            _writer.Append(expected, PackingContracts.Position, value);

        Assert.Equal(count, _writer.TryAppendAll(batch, PackingContracts.Position, values));

        Assert.Equal(expected.Count, batch.Count);
        Assert.True(batch.Span.SequenceEqual(expected.Span));
    }

    [Fact]
    public void TryAppendAll_of_texts_writes_what_one_call_each_writes()
    {
        var values = new string[300];
        for (var i = 0; i < values.Length; i++)
            values[i] = new string('a', i);
        using var expected = new MessageBatch();
        using var batch = new MessageBatch();
        foreach (var value in values)
            _writer.Append(expected, PackingContracts.Text, value);

        Assert.Equal(values.Length, _writer.TryAppendAll<string>(batch, PackingContracts.Text, values));

        Assert.Equal(expected.Count, batch.Count);
        Assert.True(batch.Span.SequenceEqual(expected.Span));
    }

    [Theory]
    [InlineData(14 * 40)]
    [InlineData((14 * 40) + 13)]
    public void TryAppendAll_into_a_batch_that_gets_full_returns_how_many_fitted(int maxSize)
    {
        using var batch = new MessageBatch(maxSize);
        var values = Positions(100);

        Assert.Equal(40, _writer.TryAppendAll(batch, PackingContracts.Position, values));
        Assert.Equal(0, _writer.TryAppendAll(batch, PackingContracts.Position, values.AsSpan(40)));

        Assert.Equal((40, 40 * 14), (batch.Count, batch.Length));
        batch.Clear();
        Assert.Equal(40, _writer.TryAppendAll(batch, PackingContracts.Position, values.AsSpan(40)));
        Assert.Equal(Frames(values.AsSpan(40, 40)), batch.Span.ToArray());
    }

    [Fact]
    public void TryAppendAll_of_a_message_larger_than_an_empty_batch_throws()
    {
        using var batch = new MessageBatch(13);

        Assert.Throws<MessageTooLargeException>(() => _writer.TryAppendAll(batch, PackingContracts.Position, Positions(2)));

        Assert.Equal((0, 0), (batch.Count, batch.Length));
    }

    [Fact]
    public void TryAppendAll_with_a_failing_message_keeps_the_messages_before_it()
    {
        var writer = new MessageWriter(new MessageLimits { MaxMessageSize = 128 });
        using var batch = new MessageBatch();

        var exception = Assert.Throws<MessageTooLargeException>(
            () => writer.TryAppendAll<string>(batch, PackingContracts.Text, ["a", new string('b', 200_000), "c"]));

        Assert.Contains("System.String", exception.Message, StringComparison.Ordinal);
        Assert.Equal([2, 5, (byte)'a'], batch.Span.ToArray());
    }

    [Fact]
    public void TryAppendAll_to_a_disposed_batch_throws()
    {
        var batch = new MessageBatch();
        batch.Dispose();

        Assert.Throws<ObjectDisposedException>(() => _writer.TryAppendAll(batch, PackingContracts.Position, Positions(1)));
        Assert.Throws<ArgumentNullException>("batch", () => _writer.TryAppendAll(null!, PackingContracts.Position, Positions(1)));
        Assert.Throws<ArgumentNullException>("contract", () => _writer.TryAppendAll<Position>(batch, null!, Positions(1)));
    }

    private static Position[] Positions(int count)
    {
        var values = new Position[count];
        for (var i = 0; i < count; i++)
            values[i] = new Position(i, -i, i * 2);
        return values;
    }

    private static byte[] Frames(ReadOnlySpan<Position> values)
    {
        var frames = new List<byte>();
        foreach (var value in values)
            frames.AddRange([13, 3, .. BitConverter.GetBytes(value.X), .. BitConverter.GetBytes(value.Y), .. BitConverter.GetBytes(value.Z)]);
        return [.. frames];
    }
}
