using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Pages;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

/// <summary>Compares the keys of settings with the options of a host, and with a table of docs/worker-services.md.</summary>
internal static class SettingKeys
{
    /// <summary>A property that is added to the options needs a key, or a reason in this list.</summary>
    private static readonly string[] s_codeOnly = [nameof(ReconnectOptions.NextEndpoint), "Endpoints", "Filter", nameof(HostLimits.Default)];

    /// <summary>Reads a section with another value for each option, and checks that this option has the value, and all other options their defaults.</summary>
    public static void Check(object defaults, string section, Func<string, string, object> read)
    {
        var properties = defaults.GetType().GetProperties().Where(static property => !s_codeOnly.Contains(property.Name)).ToList();
        foreach (var property in properties)
        {
            var (key, text) = ChooseValue(property.PropertyType, property.GetValue(defaults));
            var options = read($"{section}:{property.Name}{key}".TrimStart(':'), text);

            Assert.Equal([property.Name], properties.Where(other => !Equals(other.GetValue(options), other.GetValue(defaults))).Select(static other => other.Name));
        }
    }

    /// <summary>Returns a text for a value that differs from the default, with the rest of its key.</summary>
    private static (string Key, string Text) ChooseValue(Type type, object? value) => value switch
    {
        HostLimits => (":MaxPendingBytes", "70000"),
        MessageLimits => (":MaxMessageSize", "2048"),
        _ when type == typeof(ProtectionOptions) => (":KeyBits", "128"),
        _ when type == typeof(ReconnectOptions) => (":ResendsRequests", "true"),
        _ when type == typeof(ReadOnlyMemory<byte>) => ("", "0x0102"),
        _ when type == typeof(string) => ("", "other"),
        bool flag => ("", (!flag).ToString()),
        double => ("", "0.5"),
        FullMode => ("", nameof(FullMode.Wait)),
        Enum name => ("", Enum.GetNames(type).First(other => other != name.ToString())),
        TimeSpan time => ("", (time + TimeSpan.FromSeconds(1)).ToString()),
        int number => ("", (number + 1).ToString(CultureInfo.InvariantCulture)),
        null when type == typeof(TimeSpan?) => ("", "00:00:05"),
        null when type == typeof(int?) => ("", "3"),
        _ => throw new NotSupportedException($"Choose a value of the type {type}."),
    };

    /// <summary>Returns the keys of a row in a table of settings.</summary>
    public static List<string> Find(string heading, string section)
    {
        var page = File.ReadAllText(Page.PathOf("worker-services.md"));
        var row = page[page.IndexOf($"\n{heading}\n", StringComparison.Ordinal)..].Split('\n').First(line => line.StartsWith($"| `{section}` |", StringComparison.Ordinal));
        var keys = Regex.Matches(row, "`([A-Za-z]+)`").Select(static match => match.Groups[1].Value).Skip(1).Distinct().ToList();
        Assert.NotEmpty(keys);
        return keys;
    }

    public static bool IsKnown(Action read) => Record.Exception(read)?.Message.Contains("unknown", StringComparison.Ordinal) != true;
}
