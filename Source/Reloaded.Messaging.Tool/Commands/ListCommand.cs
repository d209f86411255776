using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>Prints the servers that processes of this user have published.</summary>
internal static class ListCommand
{
    private static readonly string[] s_header = ["pid", "process", "name", "transports", "endpoint"];

    public static Command Create(ToolConsole console)
    {
        var command = new Command("list", "Prints the servers that processes of this user have published by a name.");
        command.SetAction(_ => Run(console));
        return command;
    }

    private static int Run(ToolConsole console)
    {
        var rows = PublishedServer.FindAll().Select(Describe).OfType<string[]>().ToList();
        if (rows.Count == 0)
            throw new ToolException(ExitCode.NoConnection, "No process of this user has published a server. A server listens at MessageEndpoint.OfProcess, or sets MessageHostOptions.PublishedName.");
        console.PrintTable([s_header, .. rows]);
        return ExitCode.Success;
    }

    /// <returns>The cells of a row; <c>null</c> if the process has ended by now.</returns>
    private static string[]? Describe(PublishedServer server)
    {
        var endpoint = server.Endpoint;
        try
        {
            using var process = Process.GetProcessById(endpoint.ProcessId);
            return [endpoint.ProcessId.ToString(CultureInfo.InvariantCulture), process.ProcessName, endpoint.Address, string.Join(',', server.Schemes), endpoint.ToString()];
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException)
        {
            return null;
        }
    }
}
