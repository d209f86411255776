using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The right of one transfer to write to a path. A later transfer to the path ends the earlier one.</summary>
/// <remarks>After a connection was lost, a client may send the file again before the server knows of the loss.</remarks>
internal sealed class PathClaim : IDisposable
{
    private static readonly Dictionary<string, PathClaim> s_claims = new(StringComparer.OrdinalIgnoreCase); // also its lock

    private readonly CancellationTokenSource _replaced = new();
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _path;

    private PathClaim(string path) => _path = path;

    /// <summary>Canceled when another transfer takes the path.</summary>
    public CancellationToken Replaced => _replaced.Token;

    /// <summary>Takes a path, ends the earlier transfer, and waits until it has ended.</summary>
    public static async Task<PathClaim> TakeAsync(string path, CancellationToken cancellationToken)
    {
        var claim = new PathClaim(path);
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

    /// <summary>Takes the path, and ends the earlier transfer.</summary>
    /// <returns>The earlier claim, or <c>null</c>.</returns>
    private PathClaim? Replace()
    {
        PathClaim? earlier;
        lock (s_claims)
        {
            s_claims.TryGetValue(_path, out earlier);
            s_claims[_path] = this;
        }

        earlier?._replaced.Cancel();
        return earlier;
    }

    /// <summary>Releases a claim whose caller no longer waits. Later transfers still wait for the earlier one.</summary>
    private async Task ReleaseAfterAsync(PathClaim earlier)
    {
        await earlier._released.Task.ConfigureAwait(false);
        Dispose();
    }
}
