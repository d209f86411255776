using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>docs/tool.md describes the tool as it is.</summary>
public sealed class ToolPageTests
{
    private static readonly string s_page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "tool.md"));

    [Theory]
    [InlineData("new")]
    [InlineData("list")]
    [InlineData("watch")]
    [InlineData("decode")]
    [InlineData("export")]
    [InlineData("send")]
    [InlineData("request")]
    [InlineData("record")]
    [InlineData("replay")]
    public async Task Page_names_options_of_command_and_no_others(string command)
    {
        var help = (await Tool.RunAsync([.. command.Split(' '), "--help"])).Output;
        var examples = Regex.Matches(s_page, $"^reloaded-messaging {command}( .*)?$", RegexOptions.Multiline);

        Assert.NotEmpty(examples);
        foreach (var option in examples.SelectMany(static example => Regex.Matches(example.Value, "--[a-z-]+")).Select(static option => option.Value).Distinct())
            Assert.Contains($" {option}", help);
        foreach (var option in Regex.Matches(help[help.IndexOf("Options:", StringComparison.Ordinal)..help.IndexOf("Examples:", StringComparison.Ordinal)], "^ *(?:-., )*(--[a-z-]+)", RegexOptions.Multiline).Select(static match => match.Groups[1].Value).Where(static option => option != "--help"))
            Assert.Contains(option, s_page);
    }

    [Fact]
    public async Task Help_names_the_forms_of_endpoints_that_page_names()
    {
        var forms = Regex.Matches(Regex.Match(s_page, "^An endpoint is .*$", RegexOptions.Multiline).Value, "`([a-z]+:[^`]*)`").Select(static form => form.Groups[1].Value.Replace("/path", "", StringComparison.Ordinal)).ToList();
        var help = (await Tool.RunAsync("watch", "--help")).Output;

        Assert.True(forms.Count > 8);
        Assert.All(forms, form => Assert.Contains(form, help, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("typescript", "ts")]
    [InlineData("python", "python")]
    public async Task Schema_of_the_page_about_schemas_is_exported_as_page_says(string form, string language)
    {
        Assert.Equal(Regex.Match(s_page, $"```{language}\n(.*?)```", RegexOptions.Singleline).Groups[1].Value, await ExportAsync(form));
    }

    [Theory]
    [InlineData("c", "c", "struct ModInfo {")]
    [InlineData("csharp2", "csharp", "class ModInfo")]
    public async Task Schema_of_the_page_about_schemas_has_the_declarations_that_page_shows(string form, string language, string declaration)
    {
        var shown = Assert.Single(Regex.Matches(s_page, $"```{language}\n(.*?)```", RegexOptions.Singleline).Select(static block => block.Groups[1].Value), block => block.Contains(declaration, StringComparison.Ordinal));

        Assert.Contains(shown, await ExportAsync(form), StringComparison.Ordinal);
    }

    private static async Task<string> ExportAsync(string form)
    {
        var schemas = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "schema.md"));
        var file = Path.Combine(Directory.CreateTempSubdirectory("tool-").FullName, "schema.json");
        File.WriteAllText(file, Regex.Match(schemas, "```json\n(\\{\n  \"format\".*?)```", RegexOptions.Singleline).Groups[1].Value);
        var tool = await Tool.RunAsync("export", "--to", form, "--schema", file);
        Assert.Equal("", tool.Error);
        Directory.Delete(Path.GetDirectoryName(file)!, recursive: true);
        return tool.Output;
    }

    [Fact]
    public async Task Bytes_of_page_are_decoded_as_page_says()
    {
        var example = Regex.Match(s_page, "decode \"(.*?)\".*\n(.*\n)");

        var tool = await Tool.RunAsync("decode", example.Groups[1].Value, "--schema", Tool.Schema);

        Assert.Equal(example.Groups[2].Value, tool.Output.Replace(typeof(Move).Namespace!, "Game"));
    }

    [Fact]
    public async Task Exit_codes_of_page_are_those_of_tool_and_of_its_help()
    {
        var codes = typeof(ExitCode).GetFields().Select(static field => (int)field.GetRawConstantValue()!).Order();
        var section = s_page[s_page.IndexOf("## Exit codes", StringComparison.Ordinal)..];
        var help = (await Tool.RunAsync("--help")).Output;

        Assert.Equal(codes, Regex.Matches(section, @"^\| (\d+) \|", RegexOptions.Multiline).Select(static row => int.Parse(row.Groups[1].Value, CultureInfo.InvariantCulture)));
        Assert.Equal(codes, Regex.Matches(help[help.IndexOf("Exit codes:", StringComparison.Ordinal)..], @"\d+").Select(static code => int.Parse(code.Value, CultureInfo.InvariantCulture)));
    }
}
