using System;
using System.IO;
using System.IO.Pipes;
using System.Security.Principal;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects to Windows named pipes.</summary>
internal static class PipeConnector
{
    /// <summary>How long to wait for an instance of the pipe: servers make the next one at once, and where there is no server nothing says so.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    public static async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, bool allowElevationMismatch, CancellationToken cancellationToken)
    {
        // Anonymous: a stranger who took the name may not act as this user.
        var options = PipeOptions.Asynchronous | (allowElevationMismatch ? PipeOptions.None : PipeOptions.CurrentUserOnly);
        var pipe = new NamedPipeClientStream(".", address.Name, PipeDirection.InOut, options, TokenImpersonationLevel.Anonymous);
        try
        {
            await pipe.ConnectAsync(s_patience, cancellationToken).ConfigureAwait(false);
            if (allowElevationMismatch && OperatingSystem.IsWindows() && !PipeElevation.IsTrusted(pipe))
                throw new UnauthorizedAccessException("The pipe is another user's.");
            return new PipeChannel(pipe, address.ToString());
        }
        catch (Exception e) when (e is IOException or TimeoutException)
        {
            await pipe.DisposeAsync().ConfigureAwait(false);
            throw new TransportClosedException($"Connecting to {address} failed: {e.Message} Is the server running, as this user?", e);
        }
        catch (UnauthorizedAccessException e)
        {
            await pipe.DisposeAsync().ConfigureAwait(false);
            throw new TransportClosedException(
                $"Connecting to {address} failed: {e.Message} It belongs to another user; or one side runs elevated and the other does not, and both need NamedPipeOptions.AllowElevationMismatch.",
                e);
        }
        catch
        {
            await pipe.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
