namespace Reloaded.Messaging.Hosting;

/// <summary>Offers a file. The receiver pulls its bytes as a stream, and replies when it has all of them.</summary>
internal readonly struct FileOffered(uint number, long length, string name) : IOpeningReply
{
    /// <summary>The number of the stream with the bytes.</summary>
    public readonly uint Number = number;

    /// <summary>The length of the file, in bytes.</summary>
    public readonly long Length = length;

    /// <summary>The name that the sender gave to the file.</summary>
    public readonly string Name = name;

    public void Close(object? from) => StreamTable.CloseUnsent(Number, from);
}

/// <summary>The reply of a receiver that has the whole file.</summary>
internal readonly struct FileReceived(long length)
{
    /// <summary>The length of the file, in bytes.</summary>
    public readonly long Length = length;
}

/// <summary>Requests a file.</summary>
internal readonly struct FileWanted(string name)
{
    /// <summary>The name of the file, for the handler of the remote side.</summary>
    public readonly string Name = name;
}

/// <summary>Reports the part of a file that the receiver already has.</summary>
internal readonly struct FileStart(uint number, long offset, byte[] hash)
{
    /// <summary>The number of the stream with the bytes.</summary>
    public readonly uint Number = number;

    /// <summary>The size of the part, in bytes.</summary>
    public readonly long Offset = offset;

    /// <summary>The SHA-256 hash of the part; empty if the part is empty.</summary>
    public readonly byte[] Hash = hash;
}

/// <summary>The offset at which the file continues: that of the part if the file begins with the part; otherwise, 0.</summary>
internal readonly struct FileStarted(long offset)
{
    /// <summary>The offset, in bytes.</summary>
    public readonly long Offset = offset;
}
