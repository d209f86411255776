using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>The names of the classes that declare the contracts of an assembly.</summary>
/// <param name="Class">The class in the namespace of generated code. It has the name of the assembly, because several assemblies may have one root namespace.</param>
/// <param name="Namespace">The namespace of the class <c>MessageContracts</c>, which is empty for the global namespace; <c>null</c> if a type of the program has the name of this class, or of a part of its namespace.</param>
internal sealed record DeclarationName(string Class, string? Namespace)
{
    /// <summary>Returns the names for a compilation.</summary>
    public static DeclarationName Of(Compilation compilation, string rootNamespace) =>
        new(OfAssembly(compilation.AssemblyName, Names.Declaration), IsFree(compilation.Assembly.GlobalNamespace, rootNamespace) ? rootNamespace : null);

    /// <summary>Returns the name of a generated class that begins with the name of the assembly.</summary>
    public static string OfAssembly(string? assemblyName, string name) => RootNamespace.OfAssembly(assemblyName).Replace("@", "").Replace('.', '_') + "_" + name;

    private static bool IsFree(INamespaceSymbol? containing, string name)
    {
        foreach (var part in name.Length == 0 ? [] : name.Split('.'))
        {
            var plain = part.TrimStart('@');
            if (containing is null || !containing.GetTypeMembers(plain).IsEmpty)
                return containing is null;
            containing = containing.GetNamespaceMembers().FirstOrDefault(one => one.Name == plain);
        }

        return containing is null || containing.GetTypeMembers(Names.Declaration).IsEmpty;
    }
}
