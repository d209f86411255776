using System.Globalization;
using System.IO;
using System.Text.RegularExpressions;
using Xunit;

namespace Reloaded.Messaging.Tests.Security;

/// <summary>A test vector of Project Wycheproof.</summary>
/// <remarks>The objects of the vectors are flat. Regular expressions read them, because Mono has no reader for JSON.</remarks>
internal sealed class WycheproofVector
{
    private const string Variable = "RELOADED_MESSAGING_WYCHEPROOF";

    private static readonly Regex s_vector = new("""
        "tcId": (?<id>[0-9]+),(?<fields>.*?)"result": "(?<result>\w+)"
        """, RegexOptions.Singleline);

    private static readonly Regex s_field = new("""
        "(?<name>\w+)": "?(?<value>[0-9a-f]*)[",]
        """);

    private readonly Dictionary<string, string> _fields = [];

    private WycheproofVector(string file, Match match)
    {
        (Name, Result) = ($"{file}, test {match.Groups["id"].Value}", match.Groups["result"].Value);
        foreach (Match field in s_field.Matches(match.Groups["fields"].Value))
            _fields[field.Groups["name"].Value] = field.Groups["value"].Value;
    }

    public string Name { get; }

    /// <summary><c>valid</c> or <c>invalid</c>. Keys in forms that are not in use may be <c>acceptable</c>.</summary>
    public string Result { get; }

    public byte[] this[string field] => Convert.FromHexString(_fields[field]);

    public int Size => int.Parse(_fields["size"], CultureInfo.InvariantCulture);

    /// <summary>Reads the vectors of a file. The test is skipped without the files.</summary>
    public static List<WycheproofVector> Read(string file)
    {
        var path = Path.Combine(Environment.GetEnvironmentVariable(Variable) ?? "", file);
        Assert.SkipUnless(File.Exists(path), $"{Variable} is not a folder with the test vectors of Wycheproof. .ci/wycheproof gets them.");
        var vectors = new List<WycheproofVector>();
        foreach (Match match in s_vector.Matches(File.ReadAllText(path)))
            vectors.Add(new WycheproofVector(file, match));
        return vectors;
    }
}
