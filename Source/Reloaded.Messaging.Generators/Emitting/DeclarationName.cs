using System.Collections.Generic;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>The name of the class that declares the contracts of an assembly.</summary>
/// <param name="Namespace">The namespace; empty for the global namespace.</param>
/// <param name="Class">The class.</param>
internal sealed record DeclarationName(string Namespace, string Class)
{
    /// <summary>Returns <c>MessageContracts</c> in the root namespace. If a type of the program has that name, or the name of the namespace or of a part of it, returns the class with the name of the assembly, in the namespace of generated code.</summary>
    public static DeclarationName Of(Compilation compilation, string rootNamespace) => IsFree(compilation.Assembly.GlobalNamespace, rootNamespace)
        ? new DeclarationName(rootNamespace, Names.Declaration)
        : new DeclarationName(Names.Generated, RootNamespace.OfAssembly(compilation.AssemblyName).Replace("@", "").Replace('.', '_') + "_" + Names.Declaration);

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
