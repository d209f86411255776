using System.Collections.Generic;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the method that declares all contracts of an assembly, in a class with the name of the assembly, and a class with a short name that calls it.</summary>
internal static class DeclarationEmitter
{
    /// <param name="name">The names of the classes.</param>
    /// <param name="hasModuleInitializers">Whether the runtime calls the method when it loads the assembly.</param>
    /// <param name="messages">The messages of the assembly.</param>
    /// <param name="services">The services of the assembly.</param>
    public static string Emit(DeclarationName name, bool hasModuleInitializers, IEnumerable<MessageModel> messages, IEnumerable<ServiceModel> services)
    {
        var code = new CodeWriter().Header();
        code.Open($"namespace {Names.Generated}");
        Open(code, name.Class);
        if (hasModuleInitializers)
            code.Line("[global::System.Runtime.CompilerServices.ModuleInitializer]");
        code.Open("public static void Declare()");
        foreach (var message in messages.OrderBy(static message => message.Name, System.StringComparer.Ordinal))
            code.Line($"global::{Names.Generated}.{message.Serializer}.Contract.Declare();");
        foreach (var service in services.OrderBy(static service => service.Class, System.StringComparer.Ordinal))
            code.Line($"new global::{Names.Generated}.{service.Class}().Declare();");
        code.Close();
        code.Close();
        code.Close();
        if (name.Namespace is null)
            return code.ToString();
        if (name.Namespace.Length > 0)
            code.Open($"namespace {name.Namespace}");
        Open(code, Names.Declaration);
        code.Line($"public static void Declare() => global::{Names.Generated}.{name.Class}.Declare();");
        code.Close();
        if (name.Namespace.Length > 0)
            code.Close();
        return code.ToString();
    }

    private static void Open(CodeWriter code, string name)
    {
        code.Line("/// <summary>The contracts of this assembly's messages.</summary>");
        code.Open($"public static class {name}");
        code.Line("/// <summary>Declares all contracts of this assembly. Runs when the assembly is loaded, if the target framework has module initializers. Further calls have no effect.</summary>");
    }
}

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
