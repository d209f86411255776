using Mono.Cecil;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>An assembly that a test changes.</summary>
internal static class RewrittenAssembly
{
    /// <summary>Reads an assembly without its native code, which <c>.ci/native-code</c> has added: it would not be that of the changed methods.</summary>
    public static AssemblyDefinition Read(string path, ReaderParameters? parameters = null)
    {
        var assembly = AssemblyDefinition.ReadAssembly(path, parameters ?? new ReaderParameters());
        (assembly.MainModule.Attributes, assembly.MainModule.Architecture) = (ModuleAttributes.ILOnly, TargetArchitecture.I386); // the processor of an assembly for any
        return assembly;
    }
}
