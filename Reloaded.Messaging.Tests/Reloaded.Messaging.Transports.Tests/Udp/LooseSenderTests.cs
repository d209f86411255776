using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The fragments of a divided message wait together, and are dropped together.</summary>
public sealed class LooseSenderTests
{
    private const int FragmentSize = 16_000;
    private const int FragmentCount = 3;

    private readonly DatagramCounters _counts = new();
    private readonly LooseSender _sender;

    public LooseSenderTests() => _sender = new LooseSender(_counts, largest: 0);

    [Theory]
    [InlineData(false)]
    [InlineData(true)] // the receiver waits in vain for the other fragments
    public void Add_to_a_full_queue_drops_the_whole_oldest_message(bool isFirstFragmentSent)
    {
        AddDivided(DatagramPart.Fragment, 1, stream: -1);
        if (isFirstFragmentSent)
            Take();
        _sender.Add(DatagramPart.Frames, [], new byte[100], stream: -1);

        _sender.Add(DatagramPart.Frames, [], new byte[LooseSender.MaxBytes - FragmentSize], stream: -1);

        Assert.Equal(100, _sender.NextSize);
        Assert.Equal(100 + LooseSender.MaxBytes - FragmentSize, _sender.Bytes);
        Assert.Equal(1, _counts.GetDropped(DatagramDropReason.NotSent));
    }

    [Fact]
    public void Dropped_message_leaves_the_fragments_of_the_next_message()
    {
        AddDivided(DatagramPart.Fragment, 1, stream: -1);
        AddDivided(DatagramPart.Fragment, 2, stream: -1);

        Assert.Equal(FragmentCount * FragmentSize, _sender.Bytes);
        Assert.Equal(1, _counts.GetDropped(DatagramDropReason.NotSent));
    }

    [Fact]
    public void Outdated_message_is_dropped_whole_and_counted_once()
    {
        AddDivided(DatagramPart.SequencedFragment, 1, stream: 5);
        _sender.NoteFlushed();

        _sender.DropOutdated(5);

        Assert.Equal(0, _sender.Bytes);
        Assert.Equal(1, _counts.GetDropped(DatagramDropReason.OutdatedUnsent));
    }

    [Fact]
    public void Clear_counts_a_divided_message_once()
    {
        AddDivided(DatagramPart.Fragment, 1, stream: -1);
        _sender.Add(DatagramPart.Frames, [], new byte[100], stream: -1);

        _sender.Clear();

        Assert.Equal(0, _sender.Bytes);
        Assert.Equal(2, _counts.GetDropped(DatagramDropReason.NotSent));
    }

    private void AddDivided(DatagramPart part, byte message, int stream)
    {
        for (byte i = 0; i < FragmentCount; i++)
            _sender.Add(part, [message, 0, 0, 0, i, FragmentCount], new byte[FragmentSize - FragmentAssembler.HeaderSize], stream);
    }

    private void Take()
    {
        var writer = new DatagramWriter(new byte[2 * FragmentSize]);
        _sender.Take(ref writer);
    }
}
