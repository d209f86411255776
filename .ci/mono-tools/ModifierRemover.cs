using System;
using System.IO;
using System.Linq;
using Mono.Cecil;

/// <summary>Copies assemblies without the modifier System.Runtime.InteropServices.InAttribute in signatures.</summary>
/// <remarks>The class library of Debian's Mono was built by a compiler that does not write the modifier, so it lacks methods that Roslyn refers to, such as the indexer of ReadOnlySpan.</remarks>
internal static class ModifierRemover
{
    public static void Copy(string folder, string[] paths)
    {
        using var resolver = new DefaultAssemblyResolver(); // for the sizes of enumerations in default values
        resolver.AddSearchDirectory(Path.GetDirectoryName(typeof(object).Assembly.Location));
        foreach (var source in paths.Select(Path.GetDirectoryName).Distinct())
            resolver.AddSearchDirectory(source);

        foreach (var path in paths)
        {
            using var assembly = AssemblyDefinition.ReadAssembly(path, new ReaderParameters { AssemblyResolver = resolver, ReadSymbols = File.Exists(Path.ChangeExtension(path, ".pdb")) });
            var count = 0;
            foreach (var member in assembly.MainModule.GetMemberReferences().OfType<MethodReference>())
                count += Strip(member);
            foreach (var type in assembly.MainModule.GetTypes())
            {
                foreach (var method in type.Methods)
                {
                    count += Strip(method) + method.Overrides.Sum(Strip);
                    if (!method.HasBody)
                        continue;
                    foreach (var instruction in method.Body.Instructions)
                        count += instruction.Operand is MethodReference called ? Strip(called.GetElementMethod()) : 0;
                }

                foreach (var property in type.Properties)
                    property.PropertyType = Without(property.PropertyType, ref count);
            }

            assembly.Write(Path.Combine(folder, Path.GetFileName(path)), new WriterParameters { WriteSymbols = assembly.MainModule.HasSymbols });
            Console.WriteLine($"{Path.GetFileName(path)}: {count} modifiers removed");
        }
    }

    private static int Strip(MethodReference method)
    {
        var count = 0;
        method.ReturnType = Without(method.ReturnType, ref count);
        foreach (var parameter in method.Parameters)
            parameter.ParameterType = Without(parameter.ParameterType, ref count);
        return count;
    }

    private static TypeReference Without(TypeReference type, ref int count)
    {
        if (type is not RequiredModifierType { ModifierType.FullName: "System.Runtime.InteropServices.InAttribute" } modified)
            return type;
        count++;
        return modified.ElementType;
    }
}
