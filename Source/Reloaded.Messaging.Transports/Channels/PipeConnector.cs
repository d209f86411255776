using System.IO;
using System.IO.Pipes;
using System.Security.Principal;

namespace Reloaded.Messaging;

/// <summary>Connects to Windows named pipes.</summary>
internal static class PipeConnector
{
    /// <summary>The time to wait for an instance of the pipe. A server creates the next instance at once, and the system does not report a missing server.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    public static async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, bool allowElevationMismatch, CancellationToken cancellationToken)
    {
        // Anonymous impersonation level: another program that took the name must not act as this user.
        var options = PipeOptions.Asynchronous | (allowElevationMismatch ? PipeOptions.None : PipeOptions.CurrentUserOnly);
        var pipe = new NamedPipeClientStream(".", address.Name, PipeDirection.InOut, options, TokenImpersonationLevel.Anonymous);
        try
        {
            await pipe.ConnectAsync(s_patience, cancellationToken).ConfigureAwait(false);
            if (allowElevationMismatch && OperatingSystem.IsWindows() && !PipeElevation.IsTrusted(pipe))
                throw new UnauthorizedAccessException("The pipe belongs to another user.");
            return new PipeChannel(pipe, address.ToString());
        }
        catch (Exception e)
        {
            await pipe.DisposeAsync().ConfigureAwait(false);
            if (e is not (IOException or TimeoutException or UnauthorizedAccessException))
                throw;
            var advice = e is UnauthorizedAccessException
                ? "Either the pipe belongs to another user, or only one side is elevated. In the second case, set allowElevationMismatch of the endpoint on both sides."
                : "Is the server running, as this user?";
            throw new TransportClosedException($"Connecting to {address} failed: {e.Message} {advice}", e);
        }
    }
}
