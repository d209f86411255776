namespace Reloaded.Messaging.Hosting;

/// <summary>How much of a file was transferred.</summary>
/// <param name="Transferred">The number of bytes that the receiver has or, on the sending side, that were passed to the connection. Includes <paramref name="Resumed"/>.</param>
/// <param name="Length">The length of the file, in bytes.</param>
/// <param name="Resumed">The number of bytes that the receiver had before the transfer, and that were not sent again.</param>
public readonly record struct TransferProgress(long Transferred, long Length, long Resumed);
