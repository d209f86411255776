using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class HelpTests
{
    [Theory]
    [InlineData("list")]
    [InlineData("watch")]
    [InlineData("decode")]
    [InlineData("send")]
    [InlineData("request")]
    [InlineData("record")]
    [InlineData("replay")]
    public async Task Help_has_examples_and_exit_codes(string command)
    {
        var tool = await Tool.RunAsync(command, "--help");

        Assert.Equal(0, tool.ExitCode);
        Assert.Contains($"Examples:\n  reloaded-messaging {command}", tool.Output);
        Assert.Contains("Exit codes: 0 success", tool.Output);
    }

    [Theory]
    [InlineData]
    [InlineData("fly")]
    [InlineData("decode", "00", "--as", "poem")]
    [InlineData("watch", "1", "--name", "a", "--interval", "0")]
    [InlineData("replay", "a", "b", "--speed", "-1")]
    [InlineData("record", "a", "b", "--count", "0")]
    [InlineData("send", "in-process://a")]
    public async Task Invalid_command_line_is_refused(params string[] arguments)
    {
        var tool = await Tool.RunAsync(arguments);

        Assert.Equal(1, tool.ExitCode);
        Assert.NotEmpty(tool.Error);
    }
}
