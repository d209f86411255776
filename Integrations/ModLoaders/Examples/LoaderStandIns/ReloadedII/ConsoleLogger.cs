using System;
using Reloaded.Mod.Interfaces;

namespace LoaderStandIns;

/// <summary>The log of the loader, on the console.</summary>
internal sealed class ConsoleLogger : ILogger
{
    public void WriteLine(string message) => Console.WriteLine(message);
}
