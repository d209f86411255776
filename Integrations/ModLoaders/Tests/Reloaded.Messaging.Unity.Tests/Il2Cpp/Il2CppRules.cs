using System;
using System.Collections.Generic;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;

namespace Reloaded.Messaging.Tests.Il2Cpp;

/// <summary>Finds in the metadata of an assembly what IL2CPP cannot compile or run. docs/unity.md gives the source of each rule.</summary>
internal static class Il2CppRules
{
    // Code that is generated at run time, and types that exist only there.
    private static readonly string[] s_dynamicNamespaces = ["System.Reflection.Emit", "System.Linq.Expressions", "Microsoft.CSharp"];
    private static readonly string[] s_dynamicMembers =
        ["System.Type::MakeGenericType", "System.Reflection.MethodInfo::MakeGenericMethod", "System.Activator::CreateInstance", "System.TypedReference::"];

    // Types that are asked for by name, which the linker cannot see.
    private static readonly string[] s_namedTypes = ["System.Type::GetType(System.String", "System.Reflection.Assembly::GetType(", "System.Reflection.Assembly::Load"];

    // Functions of the program that native code calls.
    private static readonly string[] s_nativeCallbacks = ["System.Runtime.InteropServices.Marshal::GetFunctionPointerForDelegate", "System.Runtime.InteropServices.UnmanagedCallersOnlyAttribute::"];

    /// <summary>References to code that is generated at run time.</summary>
    public static IEnumerable<string> DynamicCode(ModuleDefinition module) => module.GetTypeReferences()
        .Where(static type => s_dynamicNamespaces.Any(space => type.FullName.StartsWith(space, StringComparison.Ordinal)) || type.FullName == "System.TypedReference").Select(static type => type.FullName)
        .Concat(Members(module, s_dynamicMembers));

    /// <summary>Types that are asked for by name.</summary>
    public static IEnumerable<string> TypesByName(ModuleDefinition module) => Members(module, s_namedTypes);

    /// <summary>Functions of the program that native code is to call.</summary>
    public static IEnumerable<string> NativeCallbacks(ModuleDefinition module) => Members(module, s_nativeCallbacks).Concat(
        from method in Methods(module)
        where method.IsPInvokeImpl
        from parameter in method.Parameters
        where parameter.ParameterType.IsFunctionPointer || parameter.ParameterType.Resolve()?.BaseType?.FullName == "System.MulticastDelegate"
        select $"{method.Name}({parameter.Name})");

    /// <summary>Virtual methods with type parameters, without those that override or implement a method of the same assembly.</summary>
    public static IEnumerable<string> GenericVirtualMethods(ModuleDefinition module) =>
        from method in Methods(module)
        where method is { IsVirtual: true, IsNewSlot: true, HasGenericParameters: true, HasOverrides: false }
        select $"{method.DeclaringType.Name}.{method.Name}";

    /// <summary>Types that implement one generic interface for two sets of type arguments.</summary>
    public static IEnumerable<string> InterfacesInTwoForms(ModuleDefinition module) =>
        from type in module.GetTypes()
        from form in type.Interfaces.GroupBy(static one => one.InterfaceType.GetElementType().FullName, StringComparer.Ordinal)
        where form.Count() > 1
        select $"{type.Name}: {form.Key}";

    /// <summary>Methods that run when the assembly is loaded.</summary>
    public static IEnumerable<string> ModuleInitializers(ModuleDefinition module) => module.GetType("<Module>").Methods.Select(static method => method.FullName);

    /// <summary>Exception filters that write to a field, other than those of the compiler for an asynchronous method.</summary>
    public static IEnumerable<string> FiltersThatWrite(ModuleDefinition module) =>
        from method in Methods(module)
        where method.HasBody
        from handler in method.Body.ExceptionHandlers
        where handler.HandlerType == ExceptionHandlerType.Filter
        from instruction in method.Body.Instructions
        where instruction.Offset >= handler.FilterStart.Offset && instruction.Offset < handler.HandlerStart.Offset
        where instruction.OpCode.Code is Code.Stfld or Code.Stsfld
        let field = (FieldReference)instruction.Operand
        where !field.DeclaringType.Name.StartsWith('<') // a state machine
        select $"{method.Name}: {field.FullName}";

    private static IEnumerable<MethodDefinition> Methods(ModuleDefinition module) => module.GetTypes().SelectMany(static type => type.Methods);

    private static IEnumerable<string> Members(ModuleDefinition module, string[] names) => module.GetMemberReferences()
        .Select(static member => member.FullName).Where(member => names.Any(name => member.Contains(" " + name, StringComparison.Ordinal)));
}
