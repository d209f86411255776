using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>The spare buffers of a thread, compared with lists: rents, releases on this thread and on another one, second releases and trims, up to the limits.</summary>
[Quiet]
public sealed class ThreadCacheModelTests
{
    private const long MaxInboxBytes = (long)ThreadCache.MaxWarm * MessageBuffer.MaxRetained;

    private readonly List<(MessageBuffer Buffer, PackedMessage Message)> _held = [];
    private readonly List<PackedMessage> _released = [];
    private readonly List<MessageBuffer> _warm = [];
    private readonly List<MessageBuffer> _small = [];
    private readonly List<(MessageBuffer Buffer, long Ended)> _inbox = []; // returned by another thread
    private readonly HashSet<MessageBuffer> _known = [];
    private ThreadCache _cache = null!;
    private MessageBuffer _first = null!;
    private Random _random = null!;
    private int _lost; // in use at the start of a run
    private long _secondReleases;
    private long _inboxBytes;

    [Fact]
    public void ThreadCache_is_lists_of_spare_buffers() => Uncollected.Run(() =>
    {
        ModelRun.Compare(12, 150, Create);
        _cache.Trim(); // counts the second releases now, and not in another test
    });

    private int Stacked => _warm.Count + _small.Count;

    private Func<string> Create(Random random)
    {
        (_random, _cache) = (random, ThreadCache.Current);
        foreach (var (_, message) in _held)
            message.Dispose();
        _cache.Trim();
        _first = _cache.Rent(0); // also takes it back from the other thread
        _cache.Return(_first);
        _cache.Trim();
        _held.Clear();
        _released.Clear();
        _warm.Clear();
        _small.Clear();
        _inbox.Clear();
        _known.Clear();
        (_lost, _inboxBytes, _secondReleases) = (_cache.Outstanding, 0, MessagePool.GetStatistics().SecondReleases);
        return Step;
    }

    private string Step()
    {
        var count = _random.Next(3) == 0 ? _random.NextUpTo(_random.Pick([ThreadCache.MaxWarm, ThreadCache.MaxSpare])) : _random.Next(1, 12);
        var elsewhere = _random.Next(2) == 0;
        string text;
        switch (_random.Next(12))
        {
            case 0:
                Trim();
                text = "Trim";
                break;
            case 1 when _released.Count > 0:
                _random.Pick(_released).Dispose();
                _secondReleases++;
                text = "Second release";
                break;
            case 2 when _held.Count > 0 && _inbox.Count + Stacked < ThreadCache.MaxSpare / 2 && _inboxBytes < MaxInboxBytes / 2:
                ReleaseTwiceAtOnce();
                text = "Release by two threads at once";
                break;
            case < 7:
                for (var i = 0; i < count && _held.Count < 2200; i++)
                    Rent();
                text = $"Rent {count}";
                break;
            default:
                for (var i = 0; i < count && _held.Count > 0; i++)
                    Release(elsewhere);
                text = $"Release {count}{(elsewhere ? " elsewhere" : "")}";
                break;
        }

        Assert.Equal(_secondReleases, MessagePool.GetStatistics().SecondReleases);
        if (!_inbox.Exists(static one => one.Buffer.Generation != one.Ended))
        {
            Assert.Equal(_held.Count + _lost, _cache.Outstanding);
            Assert.Equal(Stacked + _inbox.Count + (_first.IsInUse ? 0 : 1), _cache.Spare);
            Assert.InRange(_cache.Spare, 0, ThreadCache.MaxSpare);
        }

        return text;
    }

    private void Rent()
    {
        var isFirst = !_first.IsInUse || (Stacked == 0 && TakeInbox());
        var expected = isFirst ? _first : _warm.Count > 0 ? _warm[^1] : _small.LastOrDefault();
        if (!isFirst && expected is not null)
            (_warm.Count > 0 ? _warm : _small).Remove(expected);
        var buffer = _cache.Rent(1 << 20);
        if (expected is not null)
            Assert.Same(expected, buffer);
        else
            Assert.DoesNotContain(_held, one => one.Buffer == buffer);
        Assert.True(expected is not null || _known.Add(buffer));
        Assert.Equal((0, false), (buffer.Length, buffer.IsSecret));
        if (_held.Count < 300 && _random.Next(4) == 0)
            buffer.GetSpan(_random.Pick([1, MessageBuffer.InitialCapacity + 1, MessageBuffer.MaxRetained, MessageBuffer.MaxRetained + 1]));
        if (_random.Next(10) == 0)
            buffer.MarkSecret();
        _held.Add((buffer, new PackedMessage(buffer)));
    }

    private void Release(bool elsewhere)
    {
        var (buffer, message) = TakeHeld();
        if (!elsewhere)
        {
            message.Dispose();
            Keep(buffer);
            return;
        }

        // What the release does on another thread.
        buffer.Generation += MessageBuffer.EndedGeneration;
        if (buffer.NeedsCleanup)
            buffer.Clean();
        NoteReturn(buffer, buffer.Generation);
        _cache.ReturnFromElsewhere([(buffer, buffer.Generation)]);
    }

    /// <summary>Another thread puts a buffer into the inbox that its owner frees at the same moment.</summary>
    private void ReleaseTwiceAtOnce()
    {
        var (buffer, message) = TakeHeld();
        if (buffer.NeedsCleanup)
        {
            _held.Add((buffer, message));
            return;
        }

        var ended = ++buffer.Generation;
        NoteReturn(buffer, ended);
        _cache.ReturnFromElsewhere([(buffer, ended)]);
        buffer.Generation = ended - MessageBuffer.EndedGeneration + MessageBuffer.FreeGeneration;
        _cache.ReturnClean(buffer);
        Keep(buffer);
    }

    private (MessageBuffer Buffer, PackedMessage Message) TakeHeld()
    {
        var at = _random.Next(_held.Count);
        var taken = _held[at];
        _held[at] = _held[^1];
        _held.RemoveAt(_held.Count - 1);
        _released.Add(taken.Message);
        return taken;
    }

    /// <summary>Adds a buffer to the spare ones of the owner, if there is room.</summary>
    private void Keep(MessageBuffer buffer)
    {
        if (buffer != _first && Stacked + _inbox.Count < ThreadCache.MaxSpare - 1)
            (_warm.Count < ThreadCache.MaxWarm ? _warm : _small).Add(buffer);
    }

    private void NoteReturn(MessageBuffer buffer, long ended)
    {
        var others = Stacked + _inbox.Count(one => one.Buffer != _first);
        if (buffer != _first && (others >= ThreadCache.MaxSpare - 1 || _inboxBytes > MaxInboxBytes))
            return;
        _inbox.Add((buffer, ended));
        _inboxBytes += buffer.Capacity;
    }

    /// <returns>Whether the first buffer has come back.</returns>
    private bool TakeInbox()
    {
        foreach (var (buffer, ended) in _inbox)
        {
            if (buffer.Generation != ended)
                _secondReleases++;
            else if (buffer != _first)
                (_warm.Count < ThreadCache.MaxWarm ? _warm : _small).Add(buffer);
        }

        var firstReturns = _inbox.Exists(one => one.Buffer == _first && one.Ended == _first.Generation);
        _inbox.Clear();
        _inboxBytes = 0;
        return firstReturns;
    }

    private void Trim()
    {
        _cache.Trim();
        _warm.Clear();
        _small.Clear();
        _secondReleases += _inbox.Count(one => one.Buffer != _first && one.Buffer.Generation != one.Ended);
        _inbox.RemoveAll(one => one.Buffer != _first);
        _inboxBytes = 0;
    }
}
