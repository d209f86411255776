using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Limits how often something is done per second, for each source and for all sources together.</summary>
/// <remarks>
/// The memory is constant. Sources share a slot if their hashes do; the hash differs from process to process, so a source can't choose its
/// slot. One thread at a time. Allocates nothing.
/// </remarks>
internal sealed class SourceRate(TimeProvider time, int perSource, int inAll)
{
    private const int Slots = 1024;

    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(1);

    private readonly int[] _taken = new int[Slots];
    private int _takenInAll;
    private long _since = time.GetTimestamp();

    /// <summary>Takes one from the limit of a source and from the limit of all sources.</summary>
    /// <param name="source">The source, as <see cref="UdpSocket.SourceOf"/> returns it.</param>
    /// <returns><see langword="true"/> if both limits allow it; otherwise, <see langword="false"/>, and nothing is taken.</returns>
    public bool TryTake(ReadOnlySpan<byte> source)
    {
        if (time.GetElapsedTime(_since) >= s_window)
        {
            _since = time.GetTimestamp();
            _taken.AsSpan().Clear();
            _takenInAll = 0;
        }

        var hash = default(HashCode);
        hash.AddBytes(source);
        ref var taken = ref _taken[(uint)hash.ToHashCode() % Slots];
        if (taken >= perSource || _takenInAll >= inAll)
            return false;
        taken++;
        _takenInAll++;
        return true;
    }
}
