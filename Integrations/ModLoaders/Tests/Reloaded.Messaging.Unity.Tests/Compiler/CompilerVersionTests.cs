using System;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators;
using Xunit;

namespace Reloaded.Messaging.Tests.Compiler;

public sealed class CompilerVersionTests
{
    private static readonly Version s_oldest = new(4, 3);

    [Fact]
    public void These_tests_run_in_the_oldest_supported_compiler() =>
        Assert.Equal(s_oldest, VersionOf(typeof(CSharpCompilation).Assembly.GetName().Version));

    [Fact]
    public void Generator_refers_to_no_newer_compiler() => Assert.All(
        typeof(MessageGenerator).Assembly.GetReferencedAssemblies().Where(static name => name.Name!.StartsWith("Microsoft.CodeAnalysis", StringComparison.Ordinal)),
        static name => Assert.True(VersionOf(name.Version) <= s_oldest, $"The generator refers to {name}; {s_oldest} is the newest version that Unity loads."));

    [Fact]
    public void Oldest_compiler_passes_over_the_code_fixes_of_a_later_one()
    {
        var fixes = UnityCompiler.Load(Path.Combine(AppContext.BaseDirectory, "Unity", "Reloaded.Messaging.Generators.CodeFixes.dll"));

        Assert.Empty(fixes.GetAnalyzers(LanguageNames.CSharp));
        Assert.Empty(fixes.GetGenerators(LanguageNames.CSharp));
    }

    private static Version VersionOf(Version? version) => new(version!.Major, version.Minor);
}
