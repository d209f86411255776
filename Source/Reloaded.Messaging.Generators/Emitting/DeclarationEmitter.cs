using System.Collections.Generic;
using System.Linq;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>The one call that declares all contracts of an assembly.</summary>
internal static class DeclarationEmitter
{
    /// <param name="rootNamespace">The project's root namespace; empty for the global one.</param>
    /// <param name="hasModuleInitializers">Whether the runtime makes the call as it loads the assembly.</param>
    /// <param name="messages">The assembly's messages.</param>
    public static string Emit(string rootNamespace, bool hasModuleInitializers, IEnumerable<MessageModel> messages)
    {
        var code = new CodeWriter().Header();
        if (rootNamespace.Length > 0)
            code.Open($"namespace {rootNamespace}");
        code.Line("/// <summary>The contracts of this assembly's messages.</summary>");
        code.Open("public static class MessageContracts");
        code.Line("/// <summary>Declares them all. Made when the assembly is loaded, where the target can; a second call changes nothing.</summary>");
        if (hasModuleInitializers)
            code.Line("[global::System.Runtime.CompilerServices.ModuleInitializer]");
        code.Open("public static void Declare()");
        foreach (var message in messages.OrderBy(static message => message.Name, System.StringComparer.Ordinal))
            code.Line($"global::{Names.Generated}.{message.Serializer}.Contract.Declare();");
        code.Close();
        code.Close();
        if (rootNamespace.Length > 0)
            code.Close();
        return code.ToString();
    }
}
