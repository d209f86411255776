using System.Collections.Generic;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the method that declares all contracts of an assembly.</summary>
internal static class DeclarationEmitter
{
    /// <param name="rootNamespace">The root namespace of the project; empty for the global namespace.</param>
    /// <param name="hasModuleInitializers">Whether the runtime calls the method when it loads the assembly.</param>
    /// <param name="messages">The messages of the assembly.</param>
    /// <param name="services">The services of the assembly.</param>
    public static string Emit(string rootNamespace, bool hasModuleInitializers, IEnumerable<MessageModel> messages, IEnumerable<ServiceModel> services)
    {
        var code = new CodeWriter().Header();
        if (rootNamespace.Length > 0)
            code.Open($"namespace {rootNamespace}");
        code.Line("/// <summary>The contracts of this assembly's messages.</summary>");
        code.Open("public static class MessageContracts");
        code.Line("/// <summary>Declares all contracts of this assembly. Runs when the assembly is loaded, if the target framework has module initializers. Further calls have no effect.</summary>");
        if (hasModuleInitializers)
            code.Line("[global::System.Runtime.CompilerServices.ModuleInitializer]");
        code.Open("public static void Declare()");
        foreach (var message in messages.OrderBy(static message => message.Name, System.StringComparer.Ordinal))
            code.Line($"global::{Names.Generated}.{message.Serializer}.Contract.Declare();");
        foreach (var service in services.OrderBy(static service => service.Class, System.StringComparer.Ordinal))
            code.Line($"new global::{Names.Generated}.{service.Class}().Declare();");
        code.Close();
        code.Close();
        if (rootNamespace.Length > 0)
            code.Close();
        return code.ToString();
    }
}

/// <summary>The namespace of the generated declaration: the root namespace of the project, or a namespace derived from the assembly name.</summary>
internal static class RootNamespace
{
    public static string Of(AnalyzerConfigOptions options, string? assemblyName)
    {
        if (!options.TryGetValue("build_property.RootNamespace", out var given) || given is null)
            given = assemblyName ?? "";

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
        return SyntaxFacts.GetKeywordKind(name.ToString()) == SyntaxKind.None ? name.ToString() : "@" + name;
    }
}
