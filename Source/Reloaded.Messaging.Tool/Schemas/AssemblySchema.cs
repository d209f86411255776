using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Reloaded.Messaging.Tool;

/// <summary>The schema that the build embeds in an assembly.</summary>
internal static class AssemblySchema
{
    /// <summary>The name of the resource.</summary>
    private const string ResourceName = "Reloaded.Messaging.schema.json";

    private const int MaxSize = 256 * 1024 * 1024; // bytes

    /// <summary>Reads the schema from the bytes of an assembly. No code of the assembly runs.</summary>
    /// <exception cref="ToolException">Thrown when the file cannot be read, is not an assembly, or has no schema.</exception>
    public static byte[] Read(string path)
    {
        try
        {
            using var file = new PEReader(new MemoryStream(LimitedFile.ReadBytes(path, MaxSize)));
            if (!file.HasMetadata)
                throw NotAnAssembly(path, "it has no metadata.");
            var metadata = file.GetMetadataReader();
            foreach (var resource in metadata.ManifestResources.Select(metadata.GetManifestResource))
            {
                if (metadata.StringComparer.Equals(resource.Name, ResourceName))
                    return ReadResource(file, resource);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw ToolException.Invalid($"The assembly {path} cannot be read: {e.Message}");
        }
        catch (BadImageFormatException e)
        {
            throw NotAnAssembly(path, e.Message);
        }

        throw ToolException.Invalid(
            $"The assembly {path} has no schema. Set MessageSchemaFile in its project, run 'dotnet build -p:WriteMessageSchema=true', and then build again. Or name a schema file by --schema.");
    }

    private static byte[] ReadResource(PEReader file, ManifestResource resource)
    {
        var section = file.GetSectionData(file.PEHeaders.CorHeader!.ResourcesDirectory.RelativeVirtualAddress);
        if (resource.Offset > section.Length)
            throw new BadImageFormatException("a resource is outside of the file.");
        var reader = section.GetReader((int)resource.Offset, section.Length - (int)resource.Offset);
        return reader.ReadBytes(reader.ReadInt32());
    }

    private static ToolException NotAnAssembly(string path, string reason) =>
        ToolException.Invalid($"{path} is not an assembly of .NET: {reason} Name the .dll of the project with the messages.");
}
