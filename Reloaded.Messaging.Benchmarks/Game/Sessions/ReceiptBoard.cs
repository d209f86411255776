using System.Diagnostics;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>Records which session received which change, with one mark for each pair, so that a duplicate cannot hide a lost notification.</summary>
public sealed class ReceiptBoard(int sessions, int sequences)
{
    // The marks and times of a session are written only by the receiving thread of the session.
    private readonly byte[] _marks = new byte[sessions * sequences];
    private readonly float[] _milliseconds = new float[sessions * sequences];
    private int _wrong;
    private int _repeated;
    private int _delivered;

    /// <summary>The number of notifications for another session, for an unknown change, or with a wrong value.</summary>
    public int Wrong => Volatile.Read(ref _wrong);

    /// <summary>The number of duplicate notifications.</summary>
    public int Repeated => Volatile.Read(ref _repeated);

    /// <summary>The number of pairs that were received.</summary>
    public int Delivered => Volatile.Read(ref _delivered);

    public int Expected => sessions * sequences;

    /// <summary>Records a notification that a session received.</summary>
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

    /// <returns>The number of marked pairs, counted one by one, and the number of sessions with a missing notification.</returns>
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

    /// <returns>The median and the 99th percentile of the times from sending a change to receiving its notification, in milliseconds; 0 if none was received.</returns>
    public (double Median, double Late) GetMilliseconds()
    {
        var times = new List<float>(Delivered);
        for (var pair = 0; pair < _marks.Length; pair++)
        {
            if (_marks[pair] != 0)
                times.Add(_milliseconds[pair]);
        }

        times.Sort();
        return times.Count == 0 ? (0, 0) : (At(0.5), At(0.99));

        double At(double part) => times[(int)((times.Count - 1) * part)];
    }

    public static double ValueOf(int sequence) => 20 + 0.25 * sequence;
}
