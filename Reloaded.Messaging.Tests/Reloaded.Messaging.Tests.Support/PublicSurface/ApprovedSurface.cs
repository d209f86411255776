using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Tests.PublicSurface;

/// <summary>What an assembly shows to others against what was approved, in the file beside this one.</summary>
public static class ApprovedSurface
{
    private const string ApproveVariable = "RELOADED_MESSAGING_APPROVE";

    /// <summary>Fails for any difference, and says which.</summary>
    public static void Assert(Assembly assembly, [CallerFilePath] string test = "")
    {
        var name = assembly.GetName().Name;
        var actual = SurfaceWriter.Write(assembly);
        if (Environment.GetEnvironmentVariable(ApproveVariable) == "1")
        {
            File.WriteAllText(SourceFile(name, test), actual);
            return;
        }

        var approved = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "PublicSurface", $"{name}.approved.txt")).ReplaceLineEndings("\n");
        if (actual != approved)
        {
            Xunit.Assert.Fail(
                $"The public surface of {name} is not the approved one (- approved, + now):\n{string.Join('\n', Difference(approved, actual))}\n" +
                $"If the change is meant, run this test with the environment variable {ApproveVariable}=1, which rewrites {name}.approved.txt, and commit that.");
        }
    }

    /// <summary>Lines that went and lines that came.</summary>
    public static List<string> Difference(string approved, string actual)
    {
        var before = WithTypes(approved);
        var after = WithTypes(actual);
        return [.. before.Except(after).Select(static line => "- " + line), .. after.Except(before).Select(static line => "+ " + line)];
    }

    /// <summary>Each member's line with its type's in front, so that equal members of two types are told apart.</summary>
    private static List<string> WithTypes(string surface)
    {
        var lines = new List<string>();
        var type = "";
        foreach (var line in surface.Split('\n').Where(static line => line.Length > 0))
        {
            var isMember = line.StartsWith(' ');
            if (!isMember)
                type = line;
            lines.Add(isMember ? $"{type}: {line}" : line);
        }

        return lines;
    }

    private static string SourceFile(string? name, string path)
    {
        var folder = Path.GetDirectoryName(path)!;
        if (!Directory.Exists(folder))
            throw new DirectoryNotFoundException($"{folder}, where this test was compiled, is not here: approve on a build of your own, without CI=true.");
        return Path.Combine(folder, $"{name}.approved.txt");
    }
}
