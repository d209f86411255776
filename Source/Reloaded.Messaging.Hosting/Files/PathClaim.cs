using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The right of one transfer to write to a path. A later transfer to the path waits until the earlier one has ended.</summary>
/// <remarks>A later transfer of the same peer ends the earlier one. A transfer of another peer does not, because any peer could then end the transfers of others.</remarks>
internal sealed class PathClaim : IDisposable
{
    private static readonly Dictionary<string, PathClaim> s_claims = new(StringComparer.OrdinalIgnoreCase); // also its lock

    private readonly CancellationTokenSource _replaced = new();
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _path;
    private readonly Peer _peer;

    private PathClaim(string path, Peer peer)
    {
        _path = path;
        _peer = peer;
    }

    /// <summary>Canceled when a later transfer of the same peer takes the path.</summary>
    public CancellationToken Replaced => _replaced.Token;

    /// <summary>Takes a path, ends an earlier transfer of the same peer, and waits until the earlier transfer has ended.</summary>
    public static async Task<PathClaim> TakeAsync(string path, Peer peer, CancellationToken cancellationToken)
    {
        var claim = new PathClaim(path, peer);
        if (claim.Replace() is not { } earlier)
            return claim;
        try
        {
            await earlier._released.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            return claim;
        }
        catch
        {
            _ = claim.ReleaseAfterAsync(earlier);
            throw;
        }
    }

    public void Dispose()
    {
        lock (s_claims)
        {
            if (s_claims[_path] == this)
                s_claims.Remove(_path);
        }

        _released.SetResult();
    }

    /// <summary>Takes the path, and ends an earlier transfer of the same peer.</summary>
    /// <returns>The earlier claim, or <c>null</c>.</returns>
    private PathClaim? Replace()
    {
        PathClaim? earlier;
        lock (s_claims)
        {
            s_claims.TryGetValue(_path, out earlier);
            s_claims[_path] = this;
        }

        if (earlier?._peer == _peer)
            earlier._replaced.Cancel();
        return earlier;
    }

    /// <summary>Releases a claim whose caller no longer waits. Later transfers still wait for the earlier one.</summary>
    private async Task ReleaseAfterAsync(PathClaim earlier)
    {
        await earlier._released.Task.ConfigureAwait(false);
        Dispose();
    }
}
