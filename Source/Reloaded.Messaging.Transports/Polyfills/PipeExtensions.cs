using System;
using System.IO.Pipes;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Polyfills;

internal static class PipeExtensions
{
    private const PipeOptions First = (PipeOptions)0x00080000;

    extension(PipeOptions)
    {
        /// <summary>Has a pipe's first instance refused where somebody else has made one: without it a server might join a stranger's pipe.</summary>
        /// <exception cref="PlatformNotSupportedException">The runtime knows no such option.</exception>
        public static PipeOptions FirstPipeInstance => Enum.IsDefined(typeof(PipeOptions), First)
            ? First
            : throw new PlatformNotSupportedException(
                "This runtime's named pipes can't tell whether somebody else has the name (PipeOptions.FirstPipeInstance, .NET 8). " +
                "Use MessageEndpoint.Tcp with MessageHostOptions.Token, or with MessageHostOptions.PublishedName for a server that is found by its process; or a runtime of .NET 8 or later.");
    }

    extension(NamedPipeClientStream pipe)
    {
        /// <summary>Connects, on runtimes that are known to look whose the pipe is.</summary>
        /// <exception cref="PlatformNotSupportedException">Whether this one does, nobody knows.</exception>
        public Task ConnectAsync(TimeSpan timeout, CancellationToken cancellationToken)
        {
            _ = PipeOptions.FirstPipeInstance;
            return pipe.ConnectAsync((int)timeout.TotalMilliseconds, cancellationToken);
        }
    }
}
