using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the file of the methods that the serializers of an assembly share.</summary>
internal static class TypeMethodsEmitter
{
    public static string Emit(IEnumerable<TypeMethod> methods)
    {
        var code = new CodeWriter().Header().Namespace();
        foreach (var group in methods.GroupBy(static method => method.IsForbidden))
            EmitClass(code, new TypeMethods(group.Key), group);
        code.Close();
        return code.ToString();
    }

    /// <summary>Emits a class. One of its methods may request further methods.</summary>
    private static void EmitClass(CodeWriter code, TypeMethods methods, IGrouping<bool, TypeMethod> group)
    {
        code.Line("[global::System.Runtime.CompilerServices.CompilerGenerated]");
        if (group.Key)
            code.Line("[global::System.Obsolete]");
        code.Open($"internal static class {methods.Class}");
        foreach (var method in group)
            methods.Request(method);

        var values = new ValueCode(methods);
        var (write, read, release) = (new WriteMethods(code, values), new ReadMethods(code, values, methods), new ReleaseMethods(code, methods));
        while (methods.TryTake(out var method))
        {
            switch (method!.Verb)
            {
                case TypeMethods.WriteVerb:
                    write.Emit(method.Name, method.Type);
                    break;
                case TypeMethods.ReleaseVerb:
                    release.Emit(method.Name, method.Type);
                    break;
                default:
                    read.Emit(method.Name, method.Type, method.IsInterned, isPooled: method.Verb == TypeMethods.ReadPooledVerb);
                    break;
            }
        }

        code.Close();
    }
}
