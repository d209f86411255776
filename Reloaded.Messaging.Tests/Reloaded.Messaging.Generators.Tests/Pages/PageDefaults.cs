using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The defaults of options that pages name, such as <c>`StopTimeout` (default: 5 s)</c>, also in the next cell of a table: <c>(`MaxPeers`) | 1,024 |</c>.</summary>
/// <param name="assemblies">A type of each assembly with options.</param>
internal sealed partial class PageDefaults(params Type[] assemblies)
{
    /// <summary>Returns a sentence for each default of a page that is not the default of an option with this name.</summary>
    public IEnumerable<string> FindWrong(string page) =>
        from Match match in DefaultPattern().Matches(page)
        let defaults = DefaultsOf(match).ToList()
        where defaults.Count > 0 && !defaults.Contains(ValueOf(match))
        select $"{match.Value}, but the default is {string.Join(" or ", defaults)}.";

    /// <summary>Returns the number of defaults of a page that are compared.</summary>
    public int Count(string page) => DefaultPattern().Matches(page).Count(match => DefaultsOf(match).Any());

    private IEnumerable<double> DefaultsOf(Match match) =>
        from assembly in assemblies.Select(static type => type.Assembly)
        from type in assembly.GetExportedTypes()
        where type is { IsClass: true, IsAbstract: false, IsGenericTypeDefinition: false } && type.GetConstructor(Type.EmptyTypes) is not null
        let property = type.GetProperty(match.Groups["name"].Value.Split('.')[^1], BindingFlags.Instance | BindingFlags.Public)
        where property is { GetMethod: not null } && (property.PropertyType == typeof(TimeSpan) || property.PropertyType == typeof(int) || property.PropertyType == typeof(long) || property.PropertyType == typeof(ushort))
        select property.GetValue(Activator.CreateInstance(type)) is TimeSpan time ? time.TotalSeconds : Convert.ToDouble(property.GetValue(Activator.CreateInstance(type)), CultureInfo.InvariantCulture);

    private static double ValueOf(Match match) => double.Parse(match.Groups["value"].Value.Replace(",", "", StringComparison.Ordinal), CultureInfo.InvariantCulture) * match.Groups["unit"].Value switch
    {
        "MiB" => 1 << 20,
        "KiB" => 1 << 10,
        "ms" => 0.001,
        "minute" or "minutes" => 60,
        _ => 1,
    };

    [GeneratedRegex(@"`(?<name>[A-Z][\w.]+)`(?:(?: \w+)? \(default: |\) \| )(?<value>[\d,.]*\d) ?(?<unit>\w*)")]
    private static partial Regex DefaultPattern();
}
