namespace Reloaded.Messaging.Tool;

/// <summary>Checks the numbers of a command line.</summary>
internal static class NumberOption
{
    /// <param name="name">The name of the option, such as <c>--count</c>.</param>
    /// <param name="value">The value that was given.</param>
    /// <param name="isValid">Whether the value is valid.</param>
    /// <param name="rule">The valid values, after "it must be".</param>
    /// <exception cref="ToolException">Thrown when the value is not valid.</exception>
    public static void Check(string name, double value, bool isValid, string rule)
    {
        if (!isValid)
            throw new ToolException(ExitCode.Usage, FormattableString.Invariant($"{name} is {value}; it must be {rule}."));
    }
}
