using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Faults;
using Xunit.Runner.InProc.SystemConsole;

namespace Reloaded.Messaging.Tests;

/// <summary>Runs the tests, or is the process that one of them kills.</summary>
public static class Program
{
    public static Task<int> Main(string[] args) => args switch
    {
        [Victim.Verb, var port, var scope, var partitions] => Victim.RunAsync(port, scope, partitions),
        [Relay.Verb, var port, var scope] => Relay.RunAsync(port, scope),
        _ => ConsoleRunner.Run(args),
    };
}
