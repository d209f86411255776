namespace Reloaded.Messaging.Hosting;

/// <summary>The reply to the request that opens a stream.</summary>
internal readonly struct StreamOpened(uint number) : IOpeningReply
{
    /// <summary>The number of the stream, unique on the producing host.</summary>
    public readonly uint Number = number;

    public void Close(object? from) => StreamTable.CloseUnsent(Number, from);
}

/// <summary>Requests the next block of a stream. The reply is a <see cref="StreamBlock"/>, as soon as there are items.</summary>
internal readonly struct StreamPull(uint number, int maxBytes)
{
    /// <summary>The <see cref="MaxBytes"/> of a pull that opens the reports of a request that follows.</summary>
    public const int OpensReports = 2;

    /// <summary>The <see cref="MaxBytes"/> of a pull of another report.</summary>
    public const int NextReport = 1;

    /// <summary>The number of the stream, or the correlation id of the request whose items or reports are pulled.</summary>
    public readonly uint Number = number;

    /// <summary>The size of the block, in bytes. A larger item is sent alone. 0 closes the stream.</summary>
    public readonly int MaxBytes = maxBytes;
}
