using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the methods <c>AddHandlers</c>, which add all handler classes of the assembly to the builder of a host.</summary>
internal static class HandlerClassEmitter
{
    /// <param name="assemblyName">The name of the assembly, which the class has: two assemblies may have handler classes, and one may see the internals of the other.</param>
    /// <param name="classes">The handler classes.</param>
    public static string Emit(string? assemblyName, IEnumerable<HandlerClass> classes)
    {
        var code = new CodeWriter();
        code.Header();
        code.Open("namespace Microsoft.Extensions.DependencyInjection"); // the namespace of AddMessageServer, so that no further import is needed
        code.Line("/// <summary>Adds the handler classes of this assembly to hosts.</summary>");
        code.Line("[global::System.Runtime.CompilerServices.CompilerGenerated]");
        code.Open($"internal static class {DeclarationName.OfAssembly(assemblyName, "MessageHandlerClasses")}");
        foreach (var builder in classes.GroupBy(static one => one.Builder).OrderBy(static group => group.Key, System.StringComparer.Ordinal))
        {
            code.Line("/// <summary>Adds all handler classes of this assembly that generated code can use.</summary>");
            code.Open($"public static global::{builder.Key} AddHandlers(this global::{builder.Key} builder)");
            foreach (var call in builder.Select(static one => one.Call).Distinct().OrderBy(static call => call, System.StringComparer.Ordinal))
                code.Line($"builder.{call};");
            code.Line("return builder;");
            code.Close();
        }

        code.Close();
        code.Close();
        return code.ToString();
    }
}
