using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A file of docs/vectors: what the library does with given bytes, as data for implementations in other languages.</summary>
/// <remarks>A test makes the cases by the library and compares them with the committed file, so a change of the format and a wrong file both fail.</remarks>
public sealed class VectorFile(string name, string about)
{
    private const string ApproveVariable = "RELOADED_MESSAGING_APPROVE";

    private static readonly JsonSerializerOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly HashSet<string> _names = [];
    private readonly List<JsonObject> _cases = [];

    public int Count => _cases.Count;

    /// <summary>Adds a case. Its name is unique in the file.</summary>
    public void Add(string caseName, JsonObject values)
    {
        var unique = caseName;
        for (var i = 2; !_names.Add(unique); i++)
            unique = $"{caseName} ({i})";
        var one = new JsonObject { ["name"] = unique };
        foreach (var (key, value) in values.ToList())
        {
            values.Remove(key);
            one[key] = value;
        }

        _cases.Add(one);
    }

    /// <summary>Bytes as the files have them: upper-case hexadecimal without spaces.</summary>
    public static string Hex(ReadOnlySpan<byte> bytes) => Convert.ToHexString(bytes);

    /// <summary>Returns bytes that count upwards from the first.</summary>
    public static byte[] Sequence(int start, int count) => [.. Enumerable.Range(start, count).Select(static i => (byte)i)];

    /// <summary>Fails unless the committed file has exactly these cases; writes the file when <c>RELOADED_MESSAGING_APPROVE</c> is 1.</summary>
    public void AssertApproved([CallerFilePath] string test = "")
    {
        var actual = Write();
        if (Environment.GetEnvironmentVariable(ApproveVariable) == "1")
        {
            File.WriteAllText(Path.Combine(FindFolder(test), name + ".json"), actual);
            return;
        }

        AssertApproved(name + ".json", actual);
    }

    /// <summary>Compares a file of docs/vectors with its content as it should be.</summary>
    public static void AssertApproved(string file, string actual)
    {
        var approved = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "vectors", file)).ReplaceLineEndings("\n");
        if (actual == approved)
            return;
        var (before, after) = (approved.Split('\n'), actual.Split('\n'));
        var first = before.Zip(after).TakeWhile(static pair => pair.First == pair.Second).Count();
        Xunit.Assert.Fail(
            $"docs/vectors/{file} differs from what the library does, first in line {first + 1}:\n- {before.ElementAtOrDefault(first)}\n+ {after.ElementAtOrDefault(first)}\n" +
            $"If the change is intended, run this test with the environment variable {ApproveVariable}=1, which writes the file, and commit it.");
    }

    /// <summary>Returns docs/vectors of the repository that a test was compiled in.</summary>
    public static string FindFolder(string test)
    {
        for (var folder = Path.GetDirectoryName(test); folder is not null; folder = Path.GetDirectoryName(folder))
        {
            if (File.Exists(Path.Combine(folder, "Reloaded.Messaging.sln")))
                return Directory.CreateDirectory(Path.Combine(folder, "docs", "vectors")).FullName;
        }

        throw new DirectoryNotFoundException($"No folder above {test} has Reloaded.Messaging.sln. Approve on a build of your own, without CI=true.");
    }

    // A line for each case, so that a change of one case shows as one changed line.
    private string Write()
    {
        var text = new StringBuilder("{\n").Append(" \"about\": ").Append(JsonSerializer.Serialize(about, s_options)).Append(",\n \"cases\": [\n");
        text.AppendJoin(",\n", _cases.Select(static one => "  " + one.ToJsonString(s_options)));
        return text.Append("\n ]\n}\n").ToString();
    }
}
