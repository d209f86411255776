using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Identifies a process, even if another process gets the same id later.</summary>
internal readonly struct ProcessIdentity(int id, long started)
{
    /// <summary>The process id.</summary>
    public readonly int Id = id;

    /// <summary>The start time of the process, in a unit of the system; 0 if the time is unknown.</summary>
    public readonly long Started = started;

    public static ProcessIdentity OfThis() =>
        TryGet(Environment.ProcessId) ?? throw new InvalidOperationException("The system did not report the start time of this process, so the server cannot be published by process id. Use an endpoint without a process, and leave MessageHostOptions.PublishedName out.");

    /// <returns>The identity, or <see langword="null"/> if the process does not exist.</returns>
    public static ProcessIdentity? TryGet(int id)
    {
        if (OperatingSystem.IsLinux())
            return TryGetOnLinux(id);
        try
        {
            using var process = Process.GetProcessById(id);
            return new ProcessIdentity(id, process.StartTime.ToUniversalTime().Ticks);
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException)
        {
            return null;
        }
        catch (Win32Exception) // a process of another user, or an elevated process: it exists, but its start time cannot be read
        {
            return new ProcessIdentity(id, 0);
        }
    }

    /// <summary>Returns whether both identities are of the same process. An unknown start time matches any start time.</summary>
    public bool IsSame(ProcessIdentity other) => Id == other.Id && (Started == other.Started || Started == 0 || other.Started == 0);

    /// <summary>Reads field 22 of /proc/PID/stat: the clock ticks between the start of the system and the start of the process (man 5 proc_pid_stat). The second field is a name, which may contain any character.</summary>
    private static ProcessIdentity? TryGetOnLinux(int id)
    {
        string stat;
        try
        {
            stat = File.ReadAllText(FormattableString.Invariant($"/proc/{id}/stat"));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }

        var fields = stat.Substring(stat.LastIndexOf(')') + 1).Split(' ', StringSplitOptions.RemoveEmptyEntries);
        const int Started = 22 - 3; // the text after the name begins with field 3
        return fields.Length > Started && long.TryParse(fields[Started], NumberStyles.None, CultureInfo.InvariantCulture, out var started) ? new ProcessIdentity(id, started) : null;
    }
}

/// <summary>The runtime of this process.</summary>
internal static class ThisRuntime
{
    /// <summary>Whether this is .NET, and not Mono or IL2CPP. Both have another name, and IL2CPP may have removed the types by which Mono is known.</summary>
    public static readonly bool IsDotNet = RuntimeInformation.FrameworkDescription.StartsWith(".NET ", StringComparison.Ordinal);
}
