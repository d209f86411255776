using System.IO.Pipes;

namespace Reloaded.Messaging.Polyfills;

internal static class PipeExtensions
{
    private const PipeOptions First = (PipeOptions)0x00080000;

    extension(PipeOptions)
    {
        /// <summary>The option that makes the first instance of a pipe fail if the name is taken. Without it, a server might add its instance to the pipe of another program.</summary>
        /// <exception cref="PlatformNotSupportedException">Thrown when the runtime does not support the option.</exception>
        public static PipeOptions FirstPipeInstance => Enum.IsDefined(typeof(PipeOptions), First)
            ? First
            : throw new PlatformNotSupportedException(
                "The named pipes of this runtime cannot detect whether another program has the name (PipeOptions.FirstPipeInstance, .NET 8). " +
                "Use MessageEndpoint.Tcp with MessageHostOptions.Token or PublishedName, or a runtime of .NET 8 or later.");
    }

    /// <summary>Connects, on runtimes that are known to check the owner of the pipe.</summary>
    /// <exception cref="PlatformNotSupportedException">Thrown when it is unknown whether the runtime checks the owner.</exception>
    public static Task ConnectAsync(this NamedPipeClientStream pipe, TimeSpan timeout, CancellationToken cancellationToken)
    {
        _ = PipeOptions.FirstPipeInstance;
        return pipe.ConnectAsync((int)timeout.TotalMilliseconds, cancellationToken);
    }
}
