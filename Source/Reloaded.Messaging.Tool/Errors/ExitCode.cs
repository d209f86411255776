namespace Reloaded.Messaging.Tool;

/// <summary>The exit codes of the tool, as docs/tool.md lists them.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>The command line is invalid.</summary>
    public const int Usage = 1;

    /// <summary>A file, a schema, a value or bytes are invalid.</summary>
    public const int InvalidInput = 2;

    /// <summary>The connection was not made, or ended.</summary>
    public const int NoConnection = 3;

    /// <summary>The message was not sent, or the request received no reply.</summary>
    public const int NotDelivered = 4;

    /// <summary>The remote side replied with a fault.</summary>
    public const int Fault = 5;
}
