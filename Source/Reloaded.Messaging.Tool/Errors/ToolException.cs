namespace Reloaded.Messaging.Tool;

/// <summary>Ends a command with an exit code and one line of text.</summary>
internal sealed class ToolException(int exitCode, string message) : Exception(message)
{
    public int ExitCode { get; } = exitCode;

    /// <param name="when">When the command was interrupted, such as "after it had sent 3 events".</param>
    public static ToolException Interrupted(string when) => new(Tool.ExitCode.NotDelivered, $"The command was interrupted {when}.");

    public static ToolException Invalid(string message) => new(Tool.ExitCode.InvalidInput, message);
}
