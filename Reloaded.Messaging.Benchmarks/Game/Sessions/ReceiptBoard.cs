using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>Which session was told of which change: a mark for each pair, so that what came twice doesn't make up for what never came.</summary>
public sealed class ReceiptBoard(int sessions, int sequences)
{
    // A session's marks and times are written by its own receiving thread alone.
    private readonly byte[] _marks = new byte[sessions * sequences];
    private readonly float[] _milliseconds = new float[sessions * sequences];
    private int _wrong;
    private int _repeated;
    private int _delivered;

    /// <summary>Notifications that were another session's, of no change there is, or with another value.</summary>
    public int Wrong => Volatile.Read(ref _wrong);

    /// <summary>Notifications that came before.</summary>
    public int Repeated => Volatile.Read(ref _repeated);

    /// <summary>Pairs that came.</summary>
    public int Delivered => Volatile.Read(ref _delivered);

    public int Expected => sessions * sequences;

    /// <summary>Notes what a session received.</summary>
    public void Note(int session, in ValueChanged change)
    {
        if (change.Session != session || change.Sequence < 0 || change.Sequence >= sequences || !change.Value.Equals(ValueOf(change.Sequence)))
        {
            Interlocked.Increment(ref _wrong);
            return;
        }

        var pair = session * sequences + change.Sequence;
        if (_marks[pair] != 0)
        {
            Interlocked.Increment(ref _repeated);
            return;
        }

        _marks[pair] = 1;
        _milliseconds[pair] = (float)Stopwatch.GetElapsedTime(change.SentAt).TotalMilliseconds;
        Interlocked.Increment(ref _delivered);
    }

    /// <returns>How many pairs are marked, looked up one by one, and the sessions that miss some.</returns>
    public (int Marked, int Incomplete) Check()
    {
        var (marked, incomplete) = (0, 0);
        for (var session = 0; session < sessions; session++)
        {
            var came = _marks.AsSpan(session * sequences, sequences).Count((byte)1);
            marked += came;
            incomplete += came < sequences ? 1 : 0;
        }

        return (marked, incomplete);
    }

    /// <returns>How long after a change was sent its notifications were there.</returns>
    public List<double> GetMilliseconds()
    {
        var times = new List<double>(Delivered);
        for (var pair = 0; pair < _marks.Length; pair++)
        {
            if (_marks[pair] != 0)
                times.Add(_milliseconds[pair]);
        }

        times.Sort();
        return times;
    }

    public static double ValueOf(int sequence) => 20 + 0.25 * sequence;
}
