using System.IO;

namespace Reloaded.Messaging.Hosting;

/// <summary>Thrown when a file cannot be received, for a reason that the sender may know.</summary>
internal sealed class FileRefusedException(int code, string message, Exception? innerException = null) : IOException(message, innerException)
{
    /// <summary>A code of <see cref="FaultCode"/>.</summary>
    public readonly int Code = code;

    /// <summary>Returns the reason of a failed transfer for the sender, without a path of this machine.</summary>
    /// <param name="failure">The failure of the transfer.</param>
    /// <returns>The reason; <c>null</c> if the sender may not know it.</returns>
    public static RequestFaultException? Describe(Exception failure)
    {
        const int NoSpaceOnUnix = 28;
        const int NoSpaceOnWindows = unchecked((int)0x80070070);
        var code = (failure is FileTransferException ? failure.InnerException : failure) switch
        {
            FileRefusedException refused => refused.Code,
            UnauthorizedAccessException or PathTooLongException or DirectoryNotFoundException => FaultCode.InvalidPath,
            IOException { HResult: NoSpaceOnUnix or NoSpaceOnWindows } => FaultCode.NoSpace,
            _ => 0,
        };
        return code == 0 ? null : RequestFaultException.OfLibrary(code, code switch
        {
            FaultCode.NoSpace => "The receiver has no space for the file.",
            FaultCode.InvalidPath => "The receiver cannot write to the path that it chose for the file.",
            FaultCode.PathInUse => "Another process of the receiver writes to the path that it chose for the file.",
            _ => "The receiver has ended the transfer, because nothing arrived for 30 s.",
        });
    }
}
