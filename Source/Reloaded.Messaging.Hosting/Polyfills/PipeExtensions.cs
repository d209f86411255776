using System;
using System.IO.Pipes;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.Polyfills;

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
                "Use Endpoint.Tcp with HostOptions.Token, or a runtime of .NET 8 or later.");
    }

    extension(NamedPipeClientStream pipe)
    {
        public Task ConnectAsync(TimeSpan timeout, CancellationToken cancellationToken) => pipe.ConnectAsync((int)timeout.TotalMilliseconds, cancellationToken);
    }
}
