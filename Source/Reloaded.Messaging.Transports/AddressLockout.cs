using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>Counts how often an address failed to prove a secret. A number of failures, each within 30 s of the one before, lock the address out for 30 s. Thread-safe.</summary>
/// <remarks>An address is a <see cref="TransportChannel.RemoteIdentity"/>. Programs of this machine have no identity and are never locked out, because one program could lock out the others.</remarks>
/// <param name="timeProvider">The clock, or <see langword="null"/> for the system clock.</param>
/// <param name="maxFailures">The number of failures that lock an address out (1 or more; default: 5); <see cref="int.MaxValue"/> for no lock-out.</param>
/// <exception cref="ArgumentOutOfRangeException">Thrown when <paramref name="maxFailures"/> is below 1.</exception>
public sealed class AddressLockout(TimeProvider? timeProvider = null, int maxFailures = AddressLockout.DefaultFailures)
{
    /// <summary>The default number of failures that lock an address out.</summary>
    internal const int DefaultFailures = 5;

    /// <summary>The number of addresses that are remembered. When there are more, the address with the oldest failure is removed.</summary>
    internal const int Capacity = 1024;

    internal static readonly TimeSpan LockTime = TimeSpan.FromSeconds(30);

    private readonly int _maxFailures = Guard.AtLeast(1, maxFailures);
    private readonly TimeProvider _time = timeProvider ?? TimeProvider.System;
    private readonly Dictionary<string, (int Count, long Last)> _failures = []; // also serves as the lock

    /// <summary>Returns whether an address is locked out at this time.</summary>
    /// <param name="identity">The address, or <see langword="null"/> for this machine.</param>
    public bool IsLockedOut(string? identity)
    {
        if (identity is null)
            return false;
        long last;
        lock (_failures)
        {
            if (!_failures.TryGetValue(identity, out var failures) || failures.Count < _maxFailures)
                return false;
            last = failures.Last;
        }

        return _time.GetElapsedTime(last) < LockTime; // outside of the lock, because the clock may be code of the program
    }

    /// <summary>Counts a failed proof.</summary>
    /// <param name="identity">The address, or <see langword="null"/> for this machine.</param>
    public void NoteFailure(string? identity)
    {
        if (identity is null)
            return;
        var (now, lockTime) = (_time.GetTimestamp(), LockTime.TotalSeconds * _time.TimestampFrequency);
        lock (_failures)
        {
            var isKnown = _failures.TryGetValue(identity, out var failures);
            var before = isKnown && now - failures.Last < lockTime ? failures.Count : 0;
            if (!isKnown && _failures.Count >= Capacity)
                RemoveOldest();
            _failures[identity] = (before + 1, now);
        }
    }

    /// <summary>Forgets the failures of an address that has proved the secret.</summary>
    /// <param name="identity">The address, or <see langword="null"/> for this machine.</param>
    public void NoteSuccess(string? identity)
    {
        if (identity is null)
            return;
        lock (_failures)
            _failures.Remove(identity);
    }

    private void RemoveOldest()
    {
        Debug.Assert(Monitor.IsEntered(_failures));
        var (oldest, last) = ("", long.MaxValue);
        foreach (var (identity, failures) in _failures)
        {
            if (failures.Last < last)
                (oldest, last) = (identity, failures.Last);
        }

        _failures.Remove(oldest);
    }
}
