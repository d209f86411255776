using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class HelpTests
{
    [Theory]
    [InlineData("new")]
    [InlineData("key")]
    [InlineData("list")]
    [InlineData("watch")]
    [InlineData("decode")]
    [InlineData("send")]
    [InlineData("request")]
    [InlineData("record")]
    [InlineData("replay")]
    public async Task Help_has_examples_and_exit_codes(string command)
    {
        var tool = await Tool.RunAsync([.. command.Split(' '), "--help"]);

        Assert.Equal(0, tool.ExitCode);
        Assert.Contains($"Examples:\n  reloaded-messaging {command}", tool.Output);
        Assert.Contains("Exit codes: 0 success", tool.Output);
        Assert.DoesNotContain("{}]", tool.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData]
    [InlineData("fly")]
    [InlineData("export", "--to", "cobol")]
    [InlineData("watch")]
    [InlineData("watch", "a", "--interval", "x")]
    [InlineData("record", "a", "b", "--count", "x")]
    [InlineData("new", "a", "--framework", "net6.0")]
    [InlineData("decode", "00", "--as", "poem")]
    [InlineData("watch", "1", "--name", "a", "--interval", "0")]
    [InlineData("replay", "a", "b", "--speed", "-1")]
    [InlineData("record", "a", "b", "--count", "0")]
    [InlineData("send", "in-process://a")]
    public async Task Invalid_command_line_is_refused(params string[] arguments)
    {
        var tool = await Tool.RunAsync(arguments);

        Assert.Equal((1, ""), (tool.ExitCode, tool.Output));
        Assert.Single(tool.Error.TrimEnd('\n').Split('\n'));
        Assert.DoesNotContain("\uFFFD", tool.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("System.", tool.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--interval is 0.01; it must be from 0.05 to 3600 seconds.", "watch", "in-process://a", "--interval", "0.01")]
    [InlineData("--interval is NaN; it must be from 0.05 to 3600 seconds.", "watch", "in-process://a", "--interval", "NaN")]
    [InlineData("--count is -1; it must be at least 1.", "watch", "in-process://a", "--count", "-1")]
    [InlineData("--count is 0; it must be at least 1.", "record", "in-process://a", "b", "--count", "0")]
    [InlineData("--seconds is NaN; it must be more than 0 and at most 1000000.", "record", "in-process://a", "b", "--seconds", "NaN")]
    [InlineData("--speed is 1001; it must be 0, or from 0.001 to 1000.", "replay", "in-process://a", "b", "--speed", "1001")]
    [InlineData("--timeout is 0; it must be more than 0 and at most 86400 seconds.", "watch", "in-process://a", "--timeout", "0")]
    public async Task Number_out_of_range_is_named_with_the_range(string expected, params string[] arguments)
    {
        Assert.Equal(expected + "\n", (await Tool.RunAsync(arguments)).Error);
    }

    [Theory]
    [InlineData("Argument 'cobol' not recognized. Must be one of: 'json-schema', 'typescript', 'python', 'c', 'csharp2', 'asyncapi'. See 'reloaded-messaging export --help'.", "export", "--to", "cobol")]
    [InlineData("Cannot parse argument 'x' for option '--count' as a number. See 'reloaded-messaging record --help'.", "record", "a", "b", "--count", "x")]
    [InlineData("Required command was not provided. See 'reloaded-messaging --help'.")]
    public async Task Invalid_command_line_names_the_argument_and_the_help(string expected, params string[] arguments)
    {
        Assert.Equal(expected + "\n", (await Tool.RunAsync(arguments)).Error);
    }
}
