using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.CSharp2Client;

/// <summary>The C# 7.3 that <c>export</c> writes has the defaults, and writes and reads every kind of member as the library does.</summary>
public sealed class CSharp2ExportTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Every_kind_of_member_is_written_and_read_as_by_the_library(bool onMono)
    {
        if (onMono)
            CSharp2Program.FindMono();
        var program = await CSharp2Program.GetAsync(onMono ? CSharp2Program.NetFramework : CSharp2Program.NetStandard, Tool.Schema, Path.Combine(CSharp2Program.Folder, "test", "Members.cs"));
        var (missing, full) = ExportedValues.PackTwo();

        var lines = await program.RunAsync(onMono, [missing, full, full + "AA", full[..^4], full.Replace("0261026203AABB", "0261026103AABB", StringComparison.Ordinal)]);

        Assert.Equal(
            [
                "the default is no number", "InvalidValue", $"Ok {missing}", $"Ok {full}",
                .. Enumerable.Repeat("InvalidValue", 8),
                $"Ok {missing}", $"Ok {full}", $"Ok {full}", "InvalidPayload", "InvalidPayload",
            ],
            lines);
    }

    [Fact]
    public async Task Contracts_of_all_examples_compile()
    {
        var all = new[] { "Examples", "Clients/Dashboard" }.SelectMany(static folder => Directory.EnumerateFiles(Path.Combine(RepositoryFolder.FullName, folder), "contracts.schema.json", SearchOption.AllDirectories))
            .Where(static file => !file.Contains($"{Path.DirectorySeparatorChar}bin{Path.DirectorySeparatorChar}", StringComparison.Ordinal)).ToList();

        Assert.InRange(all.Count, 2, 100);
        foreach (var schema in all)
            Assert.True(File.Exists((await CSharp2Program.GetAsync(CSharp2Program.NetStandard, schema, null)).Path));
    }
}
