using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The names of types and members in the sentences of the pages exist.</summary>
public sealed partial class NamedMemberTests
{
    private const BindingFlags Visible = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.FlattenHierarchy;

    /// <summary>Pages with many names of other programs, of settings, and of version 2.0.</summary>
    private static readonly string[] s_foreignPages = ["comparison.md", "from-version-2.md", "platforms.md", "worker-services.md"];

    /// <summary>Names of folders, of MSBuild, of units, of neighbours and of other libraries.</summary>
    private static readonly string[] s_others =
        ["AddOtlpExporter", "By", "Examples", "ILogger", "ListMods", "MessageSchemaFile", "Publication", "PublicationRefusedException", "PublishAsync", "RabbitHost", "SchedulePublishAsync", "TFrom"];

    private static readonly List<Type> s_library =
    [
        .. Directory.EnumerateFiles(AppContext.BaseDirectory, "Reloaded.Messaging*.dll").Where(static file => !Path.GetFileName(file).Contains("Tests", StringComparison.Ordinal))
            .SelectMany(static file => Assembly.LoadFrom(file).GetTypes()).Where(static type => type.IsVisible),
    ];

    private static IEnumerable<string> Pages => [.. Directory.EnumerateFiles(Path.Combine(RepositoryFolder.FullName, "docs"), "*.md"), Path.Combine(RepositoryFolder.FullName, "docs", "internals", "authoring.md")];

    [Fact]
    public void Each_member_that_a_page_names_with_its_type_exists()
    {
        var members = s_library.ToLookup(NameOf, static type => NamesIn(type));
        var extensions = s_library.SelectMany(static type => type.GetMethods()).Where(static method => method.IsStatic).Select(static method => method.Name).ToHashSet();
        var named = Pages.SelectMany(page => Words(page).Select(word => (Page: Path.GetFileName(page), Parts: word.Split('.')))).Where(one => one.Parts.Length == 2 && members.Contains(one.Parts[0])).ToList();

        Assert.InRange(named.Count, 100, 10_000);
        Assert.Empty(
            from one in named
            where !extensions.Contains(one.Parts[1]) && !members[one.Parts[0]].Any(names => names.Contains(one.Parts[1]))
            select $"{one.Page} names {one.Parts[0]}.{one.Parts[1]}, which does not exist.");
    }

    [Fact]
    public void Each_name_of_a_page_exists()
    {
        var names = s_library.SelectMany(static type => NamesIn(type).Append(NameOf(type))).Concat(s_others).ToHashSet();
        names.UnionWith(
            from assembly in ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator).Where(static file => Path.GetDirectoryName(file) == Path.GetDirectoryName(typeof(object).Assembly.Location))
            from type in Assembly.Load(new AssemblyName(Path.GetFileNameWithoutExtension(assembly))).GetExportedTypes()
            select NameOf(type));
        var named = (
            from page in Pages
            where !s_foreignPages.Contains(Path.GetFileName(page))
            let code = Code().Matches(File.ReadAllText(page)).SelectMany(static block => Name().Matches(block.Value)).Select(static name => name.Value).ToHashSet()
            from word in Words(page)
            where !word.Contains('.', StringComparison.Ordinal) && !code.Contains(word)
            select (Page: Path.GetFileName(page), Word: word)).ToList();

        Assert.InRange(named.Count, 100, 10_000);
        Assert.Empty(named.Where(one => !names.Contains(one.Word)).Select(static one => $"{one.Page} names {one.Word}, which does not exist."));
    }

    /// <summary>Returns the inline code of a page that is one name, or a type and its member.</summary>
    private static IEnumerable<string> Words(string page) => InlineName().Matches(Code().Replace(File.ReadAllText(page), "")).Select(static name => name.Groups[1].Value).Distinct();

    private static string NameOf(Type type) => type.Name.Split('`')[0];

    private static HashSet<string> NamesIn(Type type) =>
    [
        .. type.GetMembers(Visible).Where(static member => member is Type || IsVisible(member)).Select(static member => member.Name),
        .. type.GetInterfaces().SelectMany(static one => one.GetMembers()).Select(static member => member.Name),
    ];

    private static bool IsVisible(MemberInfo member) => member switch
    {
        MethodBase method => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly,
        FieldInfo field => field.IsPublic || field.IsFamily,
        PropertyInfo property => property.GetAccessors(nonPublic: true).Any(IsVisible),
        EventInfo @event => IsVisible(@event.AddMethod!),
        _ => true,
    };

    [GeneratedRegex(@"`([A-Z][a-zA-Z0-9]*[a-z][a-zA-Z0-9]*(?:\.[A-Z][a-zA-Z0-9]*)?)(?:<\w+>)?(?:\([^`]*\))?`")]
    private static partial Regex InlineName();

    [GeneratedRegex("^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Code();

    [GeneratedRegex(@"\w+")]
    private static partial Regex Name();
}
