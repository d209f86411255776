using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis.CSharp;
using Mono.Cecil;
using Reloaded.Messaging.Tests.Compiler;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Il2Cpp;

/// <summary>The assemblies of the package, and the code that the generator adds to a game, keep the rules of IL2CPP.</summary>
public sealed class Il2CppRuleTests
{
    // What breaks each rule, in its order.
    private const string Violations = """
        using System;
        using System.Collections.Generic;
        using System.Reflection.Emit;
        using System.Runtime.InteropServices;

        public interface ISender { void Send<T>(T message); }
        public class Twice : IComparable<int>, IComparable<string> { public int CompareTo(int other) => 0; public int CompareTo(string other) => 0; }
        public static class Violations
        {
            public static int Caught;
            public static object Make(Type type) => Activator.CreateInstance(type);
            public static Type Emit(TypeBuilder builder) => builder.CreateTypeInfo();
            public static bool IsMono() => Type.GetType("Mono.Runtime") != null;
            public static IntPtr Callback(Action action) => Marshal.GetFunctionPointerForDelegate(action);
            [DllImport("native")] public static extern void Register(Action action);
            public static void Filter(Action action)
            {
                try { action(); }
                catch (Exception) when ((Caught = 1) > 0) { }
            }
        }
        """;

    private static readonly Lazy<List<ModuleDefinition>> s_modules = new(static () =>
    [
        .. UnityCompiler.Assemblies.Select(ModuleDefinition.ReadModule),
        Read(UnityCompiler.CompileSamples().Contracts),
        Read(UnityCompiler.Compile("Kinds", LanguageVersion.CSharp8, [MessageKinds.Source], runsGenerator: true)),
    ]);

    [Fact]
    public void No_code_is_generated_at_run_time() => Expect([], ["System.Object System.Activator::CreateInstance(System.Type)", "System.Reflection.Emit.TypeBuilder"], Il2CppRules.DynamicCode);

    [Fact]
    public void No_type_is_asked_for_by_its_name() => Expect([], ["System.Type System.Type::GetType(System.String)"], Il2CppRules.TypesByName);

    [Fact]
    public void No_function_is_called_by_native_code() =>
        Expect([], ["System.IntPtr System.Runtime.InteropServices.Marshal::GetFunctionPointerForDelegate(!!0)", "Register(action)"], Il2CppRules.NativeCallbacks);

    // Each is called with type arguments that the code of the game names.
    [Fact]
    public void Generic_virtual_methods_are_those_of_the_page() => Expect(
        ["HandlerForms`1.On", "HandlerForms`1.On", "HandlerForms`1.OnRequest", "HandlerForms`1.OnRequest", "IMessageContext.Reply"],
        ["ISender.Send"],
        Il2CppRules.GenericVirtualMethods);

    [Fact]
    public void Types_with_an_interface_in_two_forms_are_those_of_the_page() => Expect(
        ["PendingRequest`1: System.Threading.Tasks.Sources.IValueTaskSource`1"],
        ["Twice: System.IComparable`1"],
        Il2CppRules.InterfacesInTwoForms);

    // The compiler keeps the exception of an asynchronous method's filter in a field, which that filter alone reads.
    [Fact]
    public void No_exception_filter_writes_to_a_field_of_the_program() => Expect([], ["Filter: System.Int32 Violations::Caught"], Il2CppRules.FiltersThatWrite);

    [Fact]
    public void Nothing_runs_when_an_assembly_is_loaded()
    {
        var withInitializer = GeneratorOfInitializer();

        Assert.All(s_modules.Value, static module => Assert.Empty(Il2CppRules.ModuleInitializers(module)));
        Assert.NotEmpty(Il2CppRules.ModuleInitializers(withInitializer));
    }

    [Fact]
    public void Assemblies_refer_to_the_class_library_and_to_each_other()
    {
        var names = UnityCompiler.Assemblies.Select(Path.GetFileNameWithoutExtension).Append("netstandard").Append("Reloaded.Messaging.Unity").ToHashSet(StringComparer.Ordinal);

        Assert.All(s_modules.Value.SelectMany(static module => module.AssemblyReferences), reference => Assert.Contains(reference.Name, names));
    }

    /// <summary>Expects the given findings in all assemblies together, and others in code that breaks the rules.</summary>
    private static void Expect(string[] allowed, string[] broken, Func<ModuleDefinition, IEnumerable<string>> rule)
    {
        Assert.Equal(broken.Order(StringComparer.Ordinal), rule(Read(UnityCompiler.Compile("Violations", LanguageVersion.CSharp9, [Violations]))).Order(StringComparer.Ordinal));
        Assert.Equal(allowed, s_modules.Value.SelectMany(rule).Order(StringComparer.Ordinal));
    }

    // Where the target has the attribute, the generator uses it.
    private static ModuleDefinition GeneratorOfInitializer() => Read(UnityCompiler.Compile(
        "Initializer",
        LanguageVersion.CSharp9,
        ["namespace System.Runtime.CompilerServices { public sealed class ModuleInitializerAttribute : Attribute { } } [Reloaded.Messaging.Message(1)] public struct Move { public int X; }"],
        runsGenerator: true));

    private static ModuleDefinition Read(CSharpCompilation compilation) => ModuleDefinition.ReadModule(new MemoryStream(GeneratorRunner.Emit(compilation)));
}
