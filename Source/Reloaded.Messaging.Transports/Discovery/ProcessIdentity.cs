using System;
using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>A process, told apart from another that gets the same id later.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Started">When it started, in a unit of the system's; 0 where that is not to be known.</param>
internal readonly record struct ProcessIdentity(int Id, long Started)
{
    public static ProcessIdentity OfThis() =>
        TryGet(Environment.ProcessId) ?? throw new InvalidOperationException("The system does not say when this process was started: it can't be found by its id.");

    /// <returns>Null if there is no such process.</returns>
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
        catch (Win32Exception) // another user's, or an elevated one: it is there, and says no more
        {
            return new ProcessIdentity(id, 0);
        }
    }

    /// <summary>Whether both are the same process, as far as is known.</summary>
    public bool IsSame(ProcessIdentity other) => Id == other.Id && (Started == other.Started || Started == 0 || other.Started == 0);

    /// <summary>Field 22 of /proc/PID/stat: ticks from the system's start to the process's (man 5 proc_pid_stat). The second field is a name, which may hold anything.</summary>
    private static ProcessIdentity? TryGetOnLinux(int id)
    {
        string stat;
        try
        {
            stat = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/stat"));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }

        var fields = stat.Substring(stat.LastIndexOf(')') + 1).Split(' ', StringSplitOptions.RemoveEmptyEntries);
        const int Started = 22 - 3; // what comes behind the name begins with field 3
        return fields.Length > Started && long.TryParse(fields[Started], CultureInfo.InvariantCulture, out var started) ? new ProcessIdentity(id, started) : null;
    }
}
