namespace Reloaded.Messaging.Simulation.Laws;

/// <summary>The items of one direction of a stream, which the source and the reader both record.</summary>
/// <param name="fill">The size of an item, in bytes.</param>
/// <param name="blockSize">The maximum size of a block, in bytes. Its last item may exceed it.</param>
/// <param name="failsAt">The number of the item instead of which the source throws; -1 for none.</param>
/// <param name="isRead">Whether the reader reads any item.</param>
internal sealed class Flow(int fill, int blockSize, int failsAt, bool isRead = true)
{
    // Four blocks in flight, one that is read, one that is prepared, and an item that waits for room.
    private const int MaxBlocks = 6;

    private int _produced;
    private int _consumed;

    /// <summary>The bytes of an item.</summary>
    public ReadOnlyMemory<byte> Fill { get; } = new byte[fill];

    /// <summary>Whether the source has thrown.</summary>
    public bool HasFailed { get; private set; }

    /// <summary>Records that the source returns its next item.</summary>
    /// <exception cref="InvalidOperationException">Thrown instead of an item, if the source fails there.</exception>
    public void NoteProduced()
    {
        Law.Require(isRead, LawNames.StreamWait, "The source of items that no handler reads has begun.");
        if (_produced == failsAt)
        {
            HasFailed = true;
            throw new InvalidOperationException("on purpose");
        }

        _produced++;
        var most = (MaxBlocks * ((blockSize / (fill + 1)) + 1)) + 1;
        Law.Require(_produced - _consumed <= most, LawNames.StreamWait, $"The source has returned {_produced} items, and the reader has read {_consumed}. It may be {most} ahead.");
    }

    /// <summary>Records that the reader gets the next item.</summary>
    public void NoteConsumed(int number)
    {
        Law.Require(number == _consumed, LawNames.StreamOrder, $"Item {number} follows item {_consumed - 1}.");
        _consumed++;
    }

    /// <summary>Records that the reader gets a fault because the source has failed.</summary>
    public void NoteFault() => Law.Require(HasFailed && _consumed == failsAt, LawNames.FaultSide, $"The reader gets the fault of the source after {_consumed} items. The source {(HasFailed ? $"failed after {failsAt}" : "did not fail")}.");
}

/// <summary>The flows of a world, by number.</summary>
internal sealed class Flows
{
    private readonly List<Flow> _all = [];

    public Flow this[int number] => _all[number];

    public int Add(Flow flow)
    {
        _all.Add(flow);
        return _all.Count - 1;
    }
}
