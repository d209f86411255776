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
