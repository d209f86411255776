using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>The namespace of the generated declaration: the root namespace of the project, or a namespace derived from the assembly name.</summary>
internal static class RootNamespace
{
    public static string Of(AnalyzerConfigOptions options, string? assemblyName)
    {
        if (!options.TryGetValue("build_property.RootNamespace", out var given) || given is null)
            given = assemblyName ?? "";
        return OfAssembly(given);
    }

    /// <summary>Returns a namespace that is derived from a name.</summary>
    public static string OfAssembly(string? name)
    {
        var given = name ?? "";
        var parts = given.Split('.');
        for (var i = 0; i < parts.Length; i++)
            parts[i] = Identifier(parts[i]);
        return given.Length == 0 ? "" : string.Join(".", parts);
    }

    private static string Identifier(string part)
    {
        var name = new StringBuilder(part);
        for (var i = 0; i < name.Length; i++)
        {
            if (!SyntaxFacts.IsIdentifierPartCharacter(name[i]))
                name[i] = '_';
        }

        if (name.Length == 0 || !SyntaxFacts.IsIdentifierStartCharacter(name[0]))
            name.Insert(0, '_');
        return Names.Escaped(name.ToString());
    }
}
