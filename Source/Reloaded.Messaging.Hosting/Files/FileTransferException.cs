using System;
using System.IO;

namespace Reloaded.Messaging.Hosting;

/// <summary>Thrown when a file transfer failed after it had begun. A later transfer of the same file continues where this one has ended.</summary>
public sealed class FileTransferException : IOException
{
    internal FileTransferException(string message, TransferProgress progress, Exception? innerException)
        : base(message, innerException) => Progress = progress;

    /// <summary>How much of the file was transferred.</summary>
    public TransferProgress Progress { get; }

    /// <summary>Creates the exception of a transfer.</summary>
    internal static FileTransferException Of(string name, TransferProgress progress, Exception cause) =>
        new(FormattableString.Invariant($"The transfer of \"{name}\" failed at byte {progress.Transferred:N0} of {progress.Length:N0}. {cause.Message}"), progress, cause);
}
