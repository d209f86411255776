using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting;

/// <summary>Who failed to prove the token, or the secret, and how often: five failures lock an identity out for half a minute.</summary>
/// <remarks>Identities are other machines' addresses, for IPv6 networks of 64 bits. All programs of this machine would be one, and any of them could lock out the others.</remarks>
internal sealed class TokenFailures(TimeProvider time)
{
    /// <summary>How many there may be.</summary>
    public const int Most = 5;

    /// <summary>The identities that are remembered: when there are more, the one with the oldest failure is removed.</summary>
    public const int Capacity = 1024;

    public static readonly TimeSpan LockTime = TimeSpan.FromSeconds(30);

    private readonly Dictionary<string, (int Count, long Last)> _failures = []; // also its gate

    /// <summary>Whether to listen to it at all.</summary>
    public bool IsLockedOut(string? identity)
    {
        if (identity is null)
            return false;
        lock (_failures)
            return _failures.TryGetValue(identity, out var failures) && failures.Count >= Most && time.GetElapsedTime(failures.Last) < LockTime;
    }

    /// <summary>Notes how it went.</summary>
    public void Note(string? identity, bool hasFailed)
    {
        if (identity is null)
            return;
        lock (_failures)
        {
            if (!hasFailed)
            {
                _failures.Remove(identity);
                return;
            }

            var before = _failures.TryGetValue(identity, out var failures) && time.GetElapsedTime(failures.Last) < LockTime ? failures.Count : 0;
            if (_failures.Count >= Capacity)
                Forget();
            _failures[identity] = (before + 1, time.GetTimestamp());
        }
    }

    /// <summary>Removes the identity whose last failure is the oldest.</summary>
    private void Forget()
    {
        var (oldest, last) = ("", long.MaxValue);
        foreach (var (identity, failures) in _failures)
        {
            if (failures.Last < last)
                (oldest, last) = (identity, failures.Last);
        }

        _failures.Remove(oldest);
    }
}
