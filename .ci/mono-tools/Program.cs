using System;

// What the tests on Mono need, and Mono cannot do. Used for tests only.
switch (args)
{
    case ["copy", var folder, .. var paths]:
        ModifierRemover.Copy(folder, paths);
        return 0;
    case ["certificates", var folder]:
        CertificateFiles.Create(folder);
        return 0;
    default:
        Console.Error.WriteLine("usage: mono-tools copy FOLDER ASSEMBLY... | certificates FOLDER");
        return 2;
}
