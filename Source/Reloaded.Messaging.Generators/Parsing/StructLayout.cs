using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The layout of a struct's fields, as declared.</summary>
/// <param name="IsSequential">Whether the fields are in the order of their declaration and no explicit size is set.</param>
/// <param name="Pack">The largest alignment, in bytes; 0 if it is not declared.</param>
internal readonly record struct StructLayout(bool IsSequential, int Pack)
{
    private const string Attribute = "System.Runtime.InteropServices.StructLayoutAttribute";

    public static StructLayout Of(INamedTypeSymbol type, Compilation compilation)
    {
        if (Names.FindAttribute(type, Attribute) is { } attribute)
            return new StructLayout(Names.Argument(attribute, 0) is 0 && Names.Argument(attribute, "Size", 0) == 0, Names.Argument(attribute, "Pack", 0));

        // In a compiled assembly, the layout is not stored as an attribute but in the metadata row of the type.
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

        // The compiler gives an empty struct the size 1. Such a struct is refused later because it has no fields.
        return new StructLayout(isSequential && layout.Size == 0, layout.PackingSize);
    }
}
