using System;
using System.IO;
using Reloaded.Messaging.Unity;

if (args.Length > 1)
{
    Console.Error.WriteLine("Usage: Reloaded.Messaging.Unity [FOLDER]. The package is written to FOLDER (default: artifacts/unity).");
    return 1;
}

Console.WriteLine(UnityPackage.Write(Path.GetFullPath(args is [var folder] ? folder : Path.Combine("artifacts", "unity"))));
return 0;
