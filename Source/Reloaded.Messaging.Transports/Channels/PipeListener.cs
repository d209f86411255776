using System.IO;
using System.IO.Pipes;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>Accepts clients of a Windows named pipe. One instance always waits: the next instance is created before a connected instance is returned.</summary>
internal sealed class PipeListener : TransportListener
{
    private readonly object _gate = new();
    private readonly bool _allowElevationMismatch;
    private NamedPipeServerStream? _waiting;
    private bool _isDisposed;

    private PipeListener(TransportAddress address, bool allowElevationMismatch)
    {
        Address = address;
        _allowElevationMismatch = allowElevationMismatch;
        _waiting = Make(PipeOptions.FirstPipeInstance);
    }

    public override TransportAddress Address { get; }

    public static PipeListener Listen(TransportAddress address, bool allowElevationMismatch)
    {
        try
        {
            return new PipeListener(address, allowElevationMismatch);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException) // Windows throws the second exception if another user has the name
        {
            throw new InvalidOperationException($"Another server already listens at {address}. Stop it first, or choose another name.", e);
        }
    }

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        while (Next() is { } pipe)
        {
            try
            {
                await pipe.WaitForConnectionAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException or SocketException)
            {
                Replace(pipe); // the client disconnected while it waited, or the listener was disposed; the loop checks which
                await pipe.DisposeAsync().ConfigureAwait(false);
                continue;
            }

            if (Replace(pipe))
                return new PipeChannel(pipe, Address.ToString());
            await pipe.DisposeAsync().ConfigureAwait(false);
        }

        return null;
    }

    public override ValueTask DisposeAsync()
    {
        NamedPipeServerStream? waiting;
        lock (_gate)
        {
            _isDisposed = true;
            (waiting, _waiting) = (_waiting, null);
        }

        return waiting?.DisposeAsync() ?? default;
    }

    /// <returns>The waiting instance, or <see langword="null"/> if the listener was disposed.</returns>
    private NamedPipeServerStream? Next()
    {
        lock (_gate)
            return _isDisposed ? null : _waiting ??= Make(PipeOptions.None);
    }

    /// <summary>Creates another waiting instance in place of this one.</summary>
    /// <returns><see langword="false"/> if the listener was disposed.</returns>
    private bool Replace(NamedPipeServerStream pipe)
    {
        lock (_gate)
        {
            if (_isDisposed)
                return false;
            if (_waiting == pipe)
                _waiting = null;
        }

        try
        {
            return Next() is not null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return true; // this instance is connected and usable; the next accept tries again, and throws on failure
        }
    }

    private NamedPipeServerStream Make(PipeOptions first)
    {
        var options = PipeOptions.Asynchronous | first;
        return _allowElevationMismatch && OperatingSystem.IsWindows()
            ? PipeElevation.MakeServer(Address.Name, options)
            : new NamedPipeServerStream(
                Address.Name,
                PipeDirection.InOut,
                NamedPipeServerStream.MaxAllowedServerInstances,
                PipeTransmissionMode.Byte,
                options | PipeOptions.CurrentUserOnly,
                PipeChannel.BufferSize,
                PipeChannel.BufferSize);
    }
}
