using System.IO;

namespace Reloaded.Messaging.Hosting;

/// <summary>Thrown when a file transfer failed after it had begun. A later transfer of the same file continues where this one has ended.</summary>
public sealed class FileTransferException : IOException
{
    internal FileTransferException(string message, TransferProgress progress, Exception? innerException)
        : base(message, innerException) => Progress = progress;

    /// <summary>The address of the section of the documentation about this exception, unless the program set another one.</summary>
    public override string? HelpLink => base.HelpLink ?? ErrorPage.LinkOf(this);

    /// <summary>How much of the file was transferred.</summary>
    public TransferProgress Progress { get; }

    /// <summary>Creates the exception of a transfer.</summary>
    internal static FileTransferException Of(string name, TransferProgress progress, Exception cause) =>
        new(FormattableString.Invariant($"The transfer of \"{name}\" failed at byte {progress.Transferred:N0} of {progress.Length:N0}. {cause.Message}"), progress, cause);
}

/// <summary>How much of a file was transferred.</summary>
/// <param name="Transferred">The number of bytes that the receiver has or, on the sending side, that were passed to the connection. Includes <paramref name="Resumed"/>.</param>
/// <param name="Length">The length of the file, in bytes.</param>
/// <param name="Resumed">The number of bytes that the receiver had before the transfer, and that were not sent again.</param>
public readonly record struct TransferProgress(long Transferred, long Length, long Resumed);
