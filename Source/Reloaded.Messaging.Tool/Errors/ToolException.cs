using System;

namespace Reloaded.Messaging.Tool;

/// <summary>Ends a command with an exit code and one line of text.</summary>
internal sealed class ToolException(int exitCode, string message) : Exception(message)
{
    public int ExitCode { get; } = exitCode;

    public static ToolException Invalid(string message) => new(Tool.ExitCode.InvalidInput, message);
}
