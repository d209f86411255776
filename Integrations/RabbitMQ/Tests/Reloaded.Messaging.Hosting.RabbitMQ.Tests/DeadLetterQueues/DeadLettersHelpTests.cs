using System;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests.DeadLetterQueues;

/// <summary>The help and the page of the tool for dead letters, and its errors before it connects.</summary>
public sealed class DeadLettersHelpTests
{
    private static readonly string s_page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "dead-letters-tool.md"));

    [Theory]
    [InlineData("list")]
    [InlineData("show")]
    [InlineData("move")]
    [InlineData("remove")]
    public async Task Help_has_examples_and_page_names_the_options_of_command_and_no_others(string command)
    {
        var tool = await Tool.RunAsync(command, "--help");
        var shown = Regex.Matches(s_page, $"^reloaded-messaging-dead-letters {command}( .*)?$", RegexOptions.Multiline);
        var options = Regex.Matches(tool.Output[tool.Output.IndexOf("Options:", StringComparison.Ordinal)..tool.Output.IndexOf("Examples:", StringComparison.Ordinal)], "^ *(?:-., )*(--[a-z-]+)", RegexOptions.Multiline)
            .Select(static match => match.Groups[1].Value).ToList();

        Assert.Equal(0, tool.ExitCode);
        Assert.Contains($"Examples:\n  reloaded-messaging-dead-letters {command}", tool.Output, StringComparison.Ordinal);
        Assert.Contains("Exit codes: 0 success", tool.Output, StringComparison.Ordinal);
        Assert.NotEmpty(shown);
        Assert.Empty(shown.SelectMany(static example => Regex.Matches(example.Value, " (--[a-z-]+)")).Select(static option => option.Groups[1].Value).Except(options));
        Assert.All(options.Except(["--help"]), option => Assert.Contains(option, s_page, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData]
    [InlineData("list", "amqp://localhost", "--topic", "a")]
    [InlineData("list", "tcp://localhost:1", "--topic", "a", "--group", "b")]
    [InlineData("list", "amqp://localhost", "--topic", "a", "--group", "b.c")]
    [InlineData("remove", "amqp://localhost", "--topic", "a", "--group", "b")]
    [InlineData("remove", "amqp://localhost", "--topic", "a", "--group", "b", "--all", "--number", "1")]
    [InlineData("remove", "amqp://localhost", "--topic", "a", "--group", "b", "--number", "-1")]
    [InlineData("move", "amqp://localhost", "--topic", "a", "--group", "b", "--number", "abc")]
    [InlineData("list", "amqp://localhost", "--topic", "a", "--group", "b", "--number", "99999999999999999999")]
    public async Task Invalid_command_line_is_refused(params string[] arguments)
    {
        var tool = await Tool.RunAsync(arguments);

        Assert.Equal((1, ""), (tool.ExitCode, tool.Output));
        Assert.Single(tool.Error.TrimEnd('\n').Split('\n'));
        Assert.DoesNotContain("defect", tool.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("System.", tool.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Command_line_without_a_command_names_the_help() =>
        Assert.Equal("Required command was not provided. See 'reloaded-messaging-dead-letters --help'.\n", (await Tool.RunAsync()).Error);
}
