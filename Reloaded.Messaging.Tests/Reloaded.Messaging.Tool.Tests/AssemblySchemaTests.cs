using System.IO;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Contracts that are read from an assembly.</summary>
public sealed class AssemblySchemaTests : IDisposable
{
    private static readonly string s_assembly = typeof(Move).Assembly.Location;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Assembly_is_as_good_as_the_schema_file_it_was_built_with()
    {
        var byAssembly = await Tool.RunAsync("decode", "0E 05 01000000 02000000 05 6E616D65", "--assembly", s_assembly);
        var byFile = await Tool.RunAsync("decode", "0E 05 01000000 02000000 05 6E616D65", "--schema", Tool.Schema);

        Assert.Equal((0, "", "event 5 Reloaded.Messaging.Tests.Move, 14 bytes: {\"X\":1,\"Y\":2,\"Name\":\"name\"}\n"), (byAssembly.ExitCode, byAssembly.Error, byAssembly.Output));
        Assert.Equal(byFile, byAssembly);
    }

    [Fact]
    public async Task Assembly_is_not_loaded()
    {
        var copy = Path.Combine(_folder.FullName, "copy.dll");
        File.Copy(s_assembly, copy);

        var tool = await Tool.RunAsync("decode", "0E 05 01000000 02000000 05 6E616D65", "--assembly", copy);

        Assert.Equal(0, tool.ExitCode);
        Assert.DoesNotContain(AppDomain.CurrentDomain.GetAssemblies(), assembly => !assembly.IsDynamic && assembly.Location == copy);
    }

    [Fact]
    public async Task Assembly_without_schema_says_how_to_produce_one()
    {
        var tool = await Tool.RunAsync("decode", "00", "--assembly", typeof(MessageWriter).Assembly.Location);

        Assert.Equal(2, tool.ExitCode);
        Assert.Contains("has no schema. Set MessageSchemaFile in its project, run 'dotnet build -p:WriteMessageSchema=true'", tool.Error);
    }

    [Theory]
    [InlineData(false, "is not an assembly of .NET")]
    [InlineData(true, "cannot be read")]
    public async Task File_that_is_no_assembly_is_one_line(bool isMissing, string expected)
    {
        var file = Path.Combine(_folder.FullName, "text.dll");
        if (!isMissing)
            File.WriteAllText(file, new string('x', 1000));

        var tool = await Tool.RunAsync("decode", "00", "--assembly", file);

        Assert.Equal(2, tool.ExitCode);
        Assert.Contains(expected, tool.Error);
        Assert.Single(tool.Error.TrimEnd('\n').Split('\n'));
    }

    [Theory]
    [InlineData("--assembly", 268_435_456)]
    [InlineData("--schema", 67_108_864)]
    public async Task File_that_is_too_large_is_one_line_with_its_size(string option, int limit)
    {
        var file = Path.Combine(_folder.FullName, "large.dll");
        using (var stream = File.Create(file))
            stream.SetLength(3_000_000_000); // without blocks on the disk

        var tool = await Tool.RunAsync("decode", "00", option, file);

        Assert.Equal(2, tool.ExitCode);
        Assert.Contains($"The file '{file}' has 3000000000 bytes; the limit is {limit} bytes.", tool.Error);
        Assert.Single(tool.Error.TrimEnd('\n').Split('\n'));
    }

    [Fact]
    public async Task Assembly_with_an_altered_byte_never_fails_the_tool()
    {
        var bytes = File.ReadAllBytes(s_assembly);
        var file = Path.Combine(_folder.FullName, "altered.dll");
        var random = new Random(1);
        for (var i = 0; i < 200; i++)
        {
            var altered = (byte[])bytes.Clone();
            altered[random.Next(1024)] = (byte)random.Next(256); // the headers and the directories
            File.WriteAllBytes(file, altered);

            var tool = await Tool.RunAsync("decode", "00", "--assembly", file);

            Assert.InRange(tool.ExitCode, 0, 2);
        }
    }
}
