using System.Collections;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Reloaded.Messaging.Tests.PublicSurface;

/// <summary>The defaults of the properties that a program can set, against the texts of the properties, such as <c>(1 or more; default: 256 MiB)</c>.</summary>
/// <remarks>A property without such a text has no value by default: <c>null</c>, <c>false</c>, 0, nothing, or an object whose properties have their own texts.</remarks>
public static partial class DocumentedDefaults
{
    /// <summary>Fails for each property with another default than the one of its text.</summary>
    /// <param name="assembly">The assembly. The file with its texts is beside it.</param>
    public static void Assert(Assembly assembly)
    {
        var texts = XDocument.Load(Path.Combine(AppContext.BaseDirectory, $"{assembly.GetName().Name}.xml")).Descendants("member")
            .ToDictionary(static member => (string)member.Attribute("name")!, static member => member.Element("summary"));
        var (stated, wrong) = (0, new List<string>());
        foreach (var type in assembly.GetExportedTypes().Where(static type => type is { IsClass: true, IsAbstract: false, ContainsGenericParameters: false } && type.GetConstructor(Type.EmptyTypes) is not null))
        {
            foreach (var property in type.GetProperties(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly).Where(static property => property.SetMethod?.IsPublic == true))
            {
                var value = property.GetValue(Activator.CreateInstance(type));
                var text = texts.GetValueOrDefault($"P:{type.FullName}.{property.Name}") is { } summary && DefaultPattern().Match(TextOf(summary)) is { Success: true } match ? match.Groups["value"].Value : null;
                stated += text is null ? 0 : 1;
                if (text is null ? !IsNothing(value) : !IsStated(value, text))
                    wrong.Add($"{type.Name}.{property.Name} is {value} by default; its text names {text ?? "no default"}.");
            }
        }

        Xunit.Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        Xunit.Assert.InRange(stated, 1, int.MaxValue);
    }

    /// <summary>Returns the text, with the names of keywords and members.</summary>
    private static string TextOf(XElement summary) =>
        string.Concat(summary.Nodes().Select(static node => node is XElement element ? (string?)element.Attribute("langword") ?? ((string?)element.Attribute("cref"))?.Split('.')[^1] ?? element.Value : ((XText)node).Value));

    private static bool IsNothing(object? value) => value switch
    {
        null => true,
        string text => text.Length == 0,
        IEnumerable items => !items.Cast<object>().Any(),
        ValueType => value.Equals(Activator.CreateInstance(value.GetType())),
        _ => true,
    };

    private static bool IsStated(object? value, string text) => (value, text) switch
    {
        (_, "empty" or "none") => value is not null && IsNothing(value),
        (null, _) => text == "null",
        (TimeProvider time, _) => time == TimeProvider.System && text is "the system clock" or "System",
        (bool or Enum, _) => text.Equals(value.ToString(), StringComparison.OrdinalIgnoreCase),
        (string, _) => text.Trim('"') == (string)value,
        (TimeSpan time, _) => Math.Abs(time.TotalSeconds - NumberOf(text)) <= 1 / (double)TimeSpan.TicksPerSecond,
        (IConvertible, _) => Convert.ToDouble(value, CultureInfo.InvariantCulture) == NumberOf(text),
        _ => true, // the text repeats the values of the properties of an object
    };

    private static double NumberOf(string text)
    {
        var match = NumberPattern().Match(text);
        return !match.Success ? double.NaN : double.Parse(match.Groups["number"].Value.Replace(",", "", StringComparison.Ordinal), CultureInfo.InvariantCulture) / Divisor(match) * match.Groups["unit"].Value switch
        {
            "MiB" => 1 << 20,
            "KiB" => 1 << 10,
            "ms" => 0.001,
            "" or "s" => 1,
            _ => double.NaN,
        };
    }

    private static double Divisor(Match match) => match.Groups["divisor"] is { Success: true, Value: var divisor } ? double.Parse(divisor, CultureInfo.InvariantCulture) : 1;

    [GeneratedRegex(@"\((?:[^()]*; )?default: (?<value>[^()]*?)(?:, [^()]*)?\)")]
    private static partial Regex DefaultPattern();

    [GeneratedRegex(@"^(?<number>[\d,.]*\d)(?:/(?<divisor>\d+))? ?(?<unit>\w*)$")]
    private static partial Regex NumberPattern();
}
