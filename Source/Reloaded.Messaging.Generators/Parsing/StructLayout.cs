using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Where a struct's fields lie, as its declaration says.</summary>
/// <param name="IsSequential">Whether they lie in the order of their declaration, and the size is what they come to.</param>
/// <param name="Pack">The largest alignment; 0 if nothing is said.</param>
internal readonly record struct StructLayout(bool IsSequential, int Pack)
{
    private const string Attribute = "System.Runtime.InteropServices.StructLayoutAttribute";

    public static StructLayout Of(INamedTypeSymbol type, Compilation compilation)
    {
        if (Names.FindAttribute(type, Attribute) is { } attribute)
            return new StructLayout(Names.Argument(attribute, 0) is 0 && Names.Argument(attribute, "Size", 0) == 0, Names.Argument(attribute, "Pack", 0));

        // In another assembly it is no attribute any more, but part of the type's own row.
        return type.DeclaringSyntaxReferences.Length == 0 ? OfMetadata(type, compilation) : new StructLayout(true, 0);
    }

    private static StructLayout OfMetadata(INamedTypeSymbol type, Compilation compilation)
    {
        var reference = compilation.GetMetadataReference(type.ContainingAssembly) as PortableExecutableReference;
        if (reference?.GetMetadata() is not AssemblyMetadata assembly || assembly.GetModules() is not { Length: 1 } modules)
            return new StructLayout(false, 0);

        var reader = modules[0].GetMetadataReader();
        var row = reader.GetTypeDefinition((TypeDefinitionHandle)MetadataTokens.EntityHandle(type.OriginalDefinition.MetadataToken));
        var layout = row.GetLayout();
        var isSequential = (row.Attributes & TypeAttributes.LayoutMask) == TypeAttributes.SequentialLayout;

        // An empty struct has a size of 1 that nobody gave it, and no fields: that is found out later.
        return new StructLayout(isSequential && layout.Size == 0, layout.PackingSize);
    }
}
