using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Faults;
using Xunit.Runner.InProc.SystemConsole;

namespace Reloaded.Messaging.Tests;

/// <summary>Runs the tests, or is the process that one of them kills.</summary>
public static class Program
{
    public static Task<int> Main(string[] args) => args is [Victim.Verb, var port, var scope] ? Victim.RunAsync(port, scope) : ConsoleRunner.Run(args);
}
