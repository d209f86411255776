#:property PublishAot=false
#:property NoWarn=$(NoWarn);CA1852;CS1591

// Prints the assemblies that assemblies refer to, a line each: the file, the name and the version, with tabs between them.
//
//     dotnet run .ci/packages/references.cs -- FILES
using System;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

foreach (var file in args)
{
    using var assembly = new PEReader(File.OpenRead(file));
    var metadata = assembly.GetMetadataReader();
    foreach (var handle in metadata.AssemblyReferences)
    {
        var reference = metadata.GetAssemblyReference(handle);
        Console.WriteLine($"{file}\t{metadata.GetString(reference.Name)}\t{reference.Version}");
    }
}
