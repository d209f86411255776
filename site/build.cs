#:property PublishAot=false
#:property NoWarn=$(NoWarn);CA1303;CA1852;CS1591

// Builds the site from README.md, docs, the pages of the neighbours, and the assemblies with their XML documentation:
//
//     dotnet run site/build.cs             the files, in artifacts/site. Any server of files can serve this folder, also from a path.
//     dotnet run site/build.cs -- serve    the same, then at http://localhost:8080
//
// It needs "dotnet build -c Release" of Reloaded.Messaging.sln and of Integrations/RabbitMQ/RabbitMQ.slnx. The documents stay plain Markdown that the
// host of the repository shows too: this program copies them to artifacts/site-pages with links for the site, and docfx makes pages of the copies.
// It ends with 1 and a list of what is wrong if a link, an anchor or a page is missing.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml.Linq;

// The pages in the order of the navigation: sections of the bar at the top, their groups in the bar at the side, and the documents of each group.
// "file = name" names a page that is not named like its file, or for a README, like its folder.
(string Folder, string Title, (string Title, string[] Documents)[] Groups)[] sections =
[
    ("docs", "Guides",
    [
        ("Start", ["README.md = overview", "docs/getting-started.md", "docs/hosting.md", "docs/errors.md", "docs/transports.md", "docs/security.md", "docs/contracts.md", "docs/cookbook.md", "docs/README.md = documentation"]),
        ("More of a host", ["docs/threading.md", "docs/services-and-streams.md", "docs/observability.md", "docs/worker-services.md", "docs/tool.md", "docs/litenetlib.md", "docs/packing.md", "docs/analyzers.md"]),
        ("Games", ["Examples/ModLoader/README.md = mod-loader-example", "docs/game-servers.md"]),
        ("Choosing and moving", ["docs/platforms.md", "docs/comparison.md", "docs/benchmarks/README.md", "docs/benchmarks/shapes.md", "docs/from-version-2.md", "CHANGES.md"]),
    ]),
    ("integrations", "Neighbours",
    [
        ("Mod loaders", ["Integrations/ModLoaders/README.md = mod-loader-packages", "Integrations/ModLoaders/docs/mod-loaders.md", "Integrations/ModLoaders/docs/unity.md", "Integrations/ModLoaders/docs/unity-older-editors.md"]),
        ("RabbitMQ", ["Integrations/RabbitMQ/README.md = rabbitmq-packages", .. "rabbitmq rabbitmq-worker-services dead-letters-tool rabbitmq-format rabbitmq-architecture rabbitmq-worlds rabbitmq-benchmarks".Split(' ').Select(static name => $"Integrations/RabbitMQ/docs/{name}.md")]),
    ]),
    ("clients", "Clients",
    [
        ("Other languages", ["Clients/README.md = all", "Clients/python/README.md", "Clients/javascript/README.md", "Clients/c/README.md", "Clients/csharp2/README.md = netstandard"]),
        ("A page in the browser", ["Clients/Dashboard/README.md", "Clients/Dashboard/asyncapi.json = dashboard-messages"]),
        ("Formats", ["Clients/docs/write-a-client.md", "docs/specification/wire-format.md", "docs/specification/binary-format.md", "docs/specification/schema.md", "docs/specification/shared-memory.md", "docs/vectors/README.md"]),
    ]),
    ("internals", "Internals",
    [
        ("Change it", ["docs/internals/contributing.md", "docs/internals/authoring.md", "docs/internals/testing.md", "docs/internals/releasing.md"]),
        ("How it works", ["docs/internals/architecture.md", "docs/internals/locking.md", "docs/internals/names.md", "docs/internals/bounds.md", "docs/internals/ambient.md"]),
    ]),
];

// Programs rarely name these types, so the reference lists them last.
string[] forAuthors = ["AddressLockout", "DatagramChannel", "DatagramCounters", "Delivery", "ILendsFrames", "Transport", "TransportAddress", "TransportChannel", "TransportContext", "TransportListener"];

var site = (string)AppContext.GetData("EntryPointFileDirectoryPath")!;
var root = Path.GetDirectoryName(site)!;
var pages = Path.Combine(root, "artifacts", "site-pages");
var output = Path.Combine(root, "artifacts", "site");
try
{
    foreach (var folder in new[] { pages, output })
    {
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
    }

    Run(root, "tool", "restore", "--tool-manifest", Path.Combine(site, "dotnet-tools.json"));
    var packages = Package.ReadAll(root, File.ReadAllText(Path.Combine(site, "docfx.json")));
    Run(site, "docfx", "metadata", "docfx.json", "--logLevel", "error");
    var types = ApiType.ReadAll(Path.Combine(pages, "api"), packages, forAuthors);
    var documents = sections.SelectMany(static section => section.Groups.SelectMany(group => group.Documents).Select(document => Document.Of(section.Folder, document))).ToList();

    var writer = new PageWriter(root, pages, documents, packages, types);
    writer.WriteDocuments();
    writer.WriteLanding();
    writer.WriteReference();
    writer.WriteContents(sections);
    Run(site, "docfx", "build", "docfx.json", "--warningsAsErrors", "--logLevel", "warning", "--metadata", $"_appFooter=Version {writer.Version}");

    var published = new Published(site, output, documents, writer.TypesByUse);
    published.Finish();
    var problems = published.Check();
    foreach (var problem in problems)
        Console.Error.WriteLine(problem);
    Console.WriteLine($"{published.Count} pages in {output}, {problems.Count} problems");
    if (problems.Count > 0)
        return 1;
    if (args is ["serve"])
        Run(site, "docfx", "serve", output);
    return 0;
}
catch (SiteException exception)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}

static void Run(string folder, params string[] arguments)
{
    using var process = Process.Start(new ProcessStartInfo("dotnet", arguments) { WorkingDirectory = folder })!;
    process.WaitForExit();
    if (process.ExitCode != 0)
        throw new SiteException($"'dotnet {string.Join(' ', arguments)}' ended with {process.ExitCode}.");
}

internal sealed class SiteException(string message) : Exception(message);

/// <summary>A document of the repository and its page, both as paths with slashes.</summary>
internal sealed record Document(string Source, string Page)
{
    public static Document Of(string folder, string entry)
    {
        var parts = entry.Split(" = ");
        var name = parts.Length > 1 ? parts[1] : Path.GetFileNameWithoutExtension(parts[0].Replace("/README.md", "", StringComparison.Ordinal));
        return new(parts[0], $"{folder}/{name.ToLowerInvariant()}.md");
    }
}

/// <summary>A package with a reference. The XML documentation of its members is by their id, such as "T:Reloaded.Messaging.MessageWriter".</summary>
internal sealed record Package(string Name, string Folder, string Description, Dictionary<string, string> Summaries)
{
    public string Page => $"api/{Name.ToLowerInvariant().Replace('.', '-')}.md";

    /// <summary>Returns the packages whose assemblies docfx.json names. These are the packages with an approved public surface.</summary>
    public static List<Package> ReadAll(string root, string configuration)
    {
        var packages = (
            from source in JsonNode.Parse(configuration)!["metadata"]![0]!["src"]!.AsArray()
            from file in source!["files"]!.AsArray()
            select Read(root, $"{source["src"]!.GetValue<string>()[3..]}/{file!.GetValue<string>()}")).ToList();
        string[] tests = ["Reloaded.Messaging.Tests", "Integrations"];
        var approved = tests.SelectMany(folder => Directory.EnumerateFiles(Path.Combine(root, folder), "*.approved.txt", SearchOption.AllDirectories))
            .Where(static path => Path.GetFileName(Path.GetDirectoryName(path)) == "PublicSurface").Select(static path => Path.GetFileName(path).Replace(".approved.txt", "", StringComparison.Ordinal));
        var missing = approved.Except(packages.Select(static package => package.Name)).Order(StringComparer.Ordinal).ToList();
        return missing.Count == 0 ? packages : throw new SiteException($"docfx.json does not name the assembly of {string.Join(", ", missing)}.");
    }

    private static Package Read(string root, string assembly)
    {
        var folder = assembly[..assembly.IndexOf("/bin/", StringComparison.Ordinal)];
        var name = Path.GetFileName(folder);
        var documentation = Path.ChangeExtension(Path.Combine(root, assembly), ".xml");
        if (!File.Exists(documentation))
            throw new SiteException($"{documentation} does not exist. Run 'dotnet build -c Release' for {(folder.StartsWith("Source/", StringComparison.Ordinal) ? "Reloaded.Messaging.sln" : "Integrations/RabbitMQ/RabbitMQ.slnx")} first.");
        var description = Regex.Match(File.ReadAllText(Path.Combine(root, folder, $"{name}.csproj")), "<Description>(.*)</Description>").Groups[1].Value;
        var summaries = XDocument.Load(documentation).Descendants("member").Where(static member => member.Element("summary") is not null)
            .ToDictionary(static member => member.Attribute("name")!.Value, static member => Text(member.Element("summary")!));
        return new(name, folder, description, summaries);
    }

    private static string Text(XElement element) =>
        Regex.Replace(string.Concat(element.Nodes().Select(static node => node switch
        {
            XText text => text.Value,
            XElement { Name.LocalName: "see" or "paramref" or "typeparamref" } see => ShortName((see.Attribute("cref") ?? see.Attribute("langword") ?? see.Attribute("name") ?? see.Attribute("href"))!.Value),
            XElement other => Text(other),
            _ => "",
        })), @"\s+", " ").Trim();

    /// <summary>Returns the last name of an id: "T:A.B`1" is "B", and "M:A.B.C(System.Int32)" is "B.C".</summary>
    private static string ShortName(string id) => id.Length < 2 || id[1] != ':'
        ? id
        : string.Join('.', Regex.Replace(id[2..], @"\(.*|~.*|`+\d+", "").Split('.')[(id[0] == 'T' ? ^1 : ^2)..]);
}

/// <summary>A public type and its page.</summary>
internal sealed record ApiType(string Uid, string Name, string Kind, Package Package, string Page, bool ForAuthors)
{
    /// <summary>The members by name, with the anchor of the first overload.</summary>
    public List<(string Name, string Anchor)> Members { get; } = [];

    public string PlainName => Regex.Replace(Name, "<[^>]*>", "");

    public string Summary => Package.Summaries.GetValueOrDefault($"T:{Uid}", "");

    /// <summary>Reads what docfx found in the assemblies. Removes the pages of namespaces: those of packages replace them.</summary>
    public static List<ApiType> ReadAll(string folder, List<Package> packages, string[] forAuthors)
    {
        var types = new List<ApiType>();
        foreach (var file in Directory.EnumerateFiles(folder, "*.yml").Order(StringComparer.Ordinal))
        {
            var items = Regex.Split(File.ReadAllText(file).Split("\nreferences:\n")[0], "^- uid: ", RegexOptions.Multiline).Skip(1).ToList();
            if (Path.GetFileName(file) == "toc.yml" || Value(items[0], "type") == "Namespace")
            {
                File.Delete(file);
                continue;
            }

            var assembly = Regex.Match(items[0], @"^  assemblies:\n  - (.*)$", RegexOptions.Multiline).Groups[1].Value;
            var name = Value(items[0], "name");
            var type = new ApiType(Uid(items[0]), name, Value(items[0], "type"), packages.Single(package => package.Name == assembly), $"api/{Path.GetFileName(file)}", forAuthors.Contains(name) || Regex.IsMatch(Uid(items[0]), @"\.(BuildingBlocks|Wire)\."));
            types.Add(type);
            foreach (var item in items.Skip(1))
            {
                var member = Regex.Replace(Value(item, "name"), @"(?<=\w)[<(\[].*$", "");
                if (type.Members.TrueForAll(other => other.Name != member))
                    type.Members.Add((member, Regex.Replace(Uid(item), @"\W", "_")));
            }
        }

        return forAuthors.Except(types.Select(static type => type.Name)).ToList() is { Count: > 0 } missing
            ? throw new SiteException($"site/build.cs lists types for authors that do not exist: {string.Join(", ", missing)}.")
            : types;

        static string Uid(string item) => item[..item.IndexOf('\n', StringComparison.Ordinal)].Trim('\'', '"');
        static string Value(string item, string key) => Regex.Match(item, $"^  {key}: (.*)$", RegexOptions.Multiline).Groups[1].Value.Trim('\'', '"');
    }
}

/// <summary>Writes the pages from which docfx makes the site.</summary>
internal sealed class PageWriter
{
    private readonly string _root, _pages, _repository;
    private readonly List<Document> _documents;
    private readonly List<Package> _packages;
    private readonly List<ApiType> _types;
    private readonly Dictionary<string, (ApiType Type, string Target)> _names = [];
    private readonly Dictionary<ApiType, Dictionary<Document, int>> _mentions = [];
    private readonly string[] _lists = ["docs/analyzers.md", "docs/benchmarks.md", "docs/changes.md", "docs/comparison.md", "docs/documentation.md", "docs/from-version-2.md", "docs/platforms.md", "integrations/rabbitmq-benchmarks.md"]; // they name types, and do not describe them

    public PageWriter(string root, string pages, List<Document> documents, List<Package> packages, List<ApiType> types)
    {
        (_root, _pages, _documents, _packages, _types) = (root, pages, documents, packages, types);
        var properties = Read("Directory.Build.props");
        Version = Regex.Match(properties, "<Version[^>]*>(.*)</Version>").Groups[1].Value;
        _repository = Regex.Match(properties, "<RepositoryUrl>(.*)</RepositoryUrl>").Groups[1].Value;

        // A name that several types have is that of the first package, and of the type without type parameters.
        foreach (var type in types.OrderBy(type => packages.IndexOf(type.Package)).ThenBy(static type => type.Name.Length))
        {
            _names.TryAdd(type.Name, (type, type.Page));
            _names.TryAdd(type.PlainName, (type, type.Page));
            foreach (var (name, anchor) in type.Members)
                _names.TryAdd($"{type.PlainName}.{name}", (type, $"{type.Page}#{anchor}"));
        }
    }

    public string Version { get; }

    /// <summary>The types that programs name, those that the guides name most often first, and then the types for authors.</summary>
    public List<ApiType> TypesByUse => [.. _types.OrderBy(static type => type.ForAuthors).ThenByDescending(type => _mentions.TryGetValue(type, out var mentions) ? mentions.Values.Sum() : 0)];

    public void WriteDocuments()
    {
        string[] folders = ["docs", "Clients/docs", "Integrations/RabbitMQ/docs", "Integrations/ModLoaders/docs"];
        var found = folders.SelectMany(folder => Directory.EnumerateFiles(Path.Combine(_root, folder), "*.md", SearchOption.AllDirectories)).Select(path => Path.GetRelativePath(_root, path).Replace('\\', '/'));
        if (found.Except(_documents.Select(static document => document.Source)).ToList() is { Count: > 0 } missing)
            throw new SiteException($"The navigation in site/build.cs lacks {string.Join(", ", missing)}.");

        foreach (var document in _documents)
            Write(document.Page, WithDescription(AddAnchors(NameTypes(RewriteLinks(MarkShell(Text(document.Source)), document), document)), document.Source));

        Copy("Source/icon.svg", "images/icon.svg");
    }

    /// <summary>Writes the first page from the documents: the purpose, the figures beside SignalR and gRPC, the first step and the guarantees. It repeats nothing, so it says what the documents say.</summary>
    public void WriteLanding()
    {
        string readme = Text("README.md"), security = Text("docs/security.md");
        var purpose = readme.Split("\n\n").First(static part => part.StartsWith("Typed messages", StringComparison.Ordinal)).Split(": ", 2);
        var more = char.ToUpperInvariant(purpose[1][0]) + purpose[1][1..].Trim();
        var picture = Regex.Match(readme, @"!\[([^\]]*)\]\((docs/mod-loader\.svg)\)");
        var programs = Regex.Matches(Section(readme, "## A server and a client"), "^```csharp\n.*?^```$", RegexOptions.Multiline | RegexOptions.Singleline);
        var guarantees = Regex.Matches(Section(security, "## Guarantees").Replace("](", "](docs/", StringComparison.Ordinal), @"^- (.*?)\.(?:\*\*)? (.*)$", RegexOptions.Multiline)
            .Select(static match => $"<div>\n\n**{match.Groups[1].Value.Replace("**", "", StringComparison.Ordinal)}**\n\n{match.Groups[2].Value}\n\n</div>\n");

        var text = $$"""
            <div class="hero">
            <div>
            <h1>Reloaded.Messaging</h1>
            <p class="fs-3">{{purpose[0]}}</p>
            <p class="lead">{{more}}</p>

            ```sh
            git clone {{_repository}}
            cd {{_repository.Split('/')[^1]}}
            {{Regex.Match(readme, "^dotnet run .*$", RegexOptions.Multiline).Value}}
            ```

            [Get started](docs/getting-started.md) · [Overview](README.md) · [Reference](Source) · [Repository]({{_repository}})

            </div>

            ![{{picture.Groups[1].Value}}]({{picture.Groups[2].Value}})

            </div>

            <div class="figures">{{string.Concat(Figures.Read(Section(Text("docs/benchmarks/README.md"), "### 100 in flight, 200 B")).Select(static figure => figure.Html))}}</div>

            <div class="source">

            Requests of 200 B between two processes, 100 in flight: this library and gRPC over a Unix socket, SignalR with MessagePack over TCP. The last two figures count both processes. [All figures](docs/benchmarks/README.md#100-in-flight-200-b), also those that other libraries win.

            </div>

            ## A server and a client

            # [Server](#tab/server)

            {{programs[0].Value}}

            # [Client](#tab/client)

            {{programs[1].Value}}

            ***

            The package is not published yet: [pack it](README.md#install) in a clone first. To use TCP, UDP, a named pipe or shared memory, change the endpoint. [Getting started](docs/getting-started.md) continues from here, the [cookbook](docs/cookbook.md) has complete programs, and the [comparison](docs/comparison.md) says when another library is the better choice.

            ## What it guarantees

            <div class="cards">

            {{string.Join('\n', guarantees)}}
            </div>

            """;
        Write("index.md", $"---\ntitle: {purpose[0]}\n_layout: landing\ndescription: {Quote(more)}\n---\n\n{RewriteLinks(text, new("README.md", "index.md"))}");
    }

    /// <summary>Writes a page for each package, and for each type the guides that describe it.</summary>
    public void WriteReference()
    {
        string Rows(IEnumerable<ApiType> types) => "| type | summary |\n|---|---|\n" + string.Concat(types.Select(static type => $"| [`{type.Name}`]({Path.GetFileName(type.Page)}) | {Escape(type.Summary)} |\n"));
        var contents = new StringBuilder("### YamlMime:TableOfContent\nitems:\n- name: Packages\n  href: index.md\n");
        void List(string title, string? page, IEnumerable<ApiType> types)
        {
            contents.Append(CultureInfo.InvariantCulture, $"- name: {title}\n{(page is null ? "" : $"  href: {Path.GetFileName(page)}\n")}  items:\n");
            foreach (var type in types)
                contents.Append(CultureInfo.InvariantCulture, $"  - name: {Quote(type.Name)}\n    href: {Path.GetFileName(type.Page)}\n");
        }

        foreach (var package in _packages)
        {
            var (users, others) = (Of(false), Of(true));
            IEnumerable<ApiType> Of(bool ofAuthors) => _types.Where(type => type.Package == package && type.ForAuthors == ofAuthors).OrderBy(static type => type.Name, StringComparer.Ordinal);
            List(package.Name, package.Page, users);
            Write(package.Page, WithDescription($"# {package.Name}\n\n{Escape(package.Description)}\n\n{Rows(users)}{(others.Any() ? $"\n## For authors of hosts and transports\n\n{Rows(others)}" : "")}", package.Page));
        }

        List("For authors of hosts and transports", null, _types.Where(static type => type.ForAuthors).OrderBy(static type => type.Name, StringComparer.Ordinal));
        Write("api/toc.yml", contents.ToString());
        Write("api/index.md", WithDescription($"# Reference\n\nThe public types and members of each package, for .NET 10. A page describes one type with its members.\n\n| package | contents |\n|---|---|\n{string.Concat(_packages.Select(static package => $"| [{package.Name}]({Path.GetFileName(package.Page)}) | {Escape(package.Description)} |\n"))}", "api/index.md"));

        Write("guides.md", string.Concat(_mentions.OrderBy(static entry => entry.Key.Uid, StringComparer.Ordinal).Select(entry =>
            $"---\nuid: {entry.Key.Uid}\n---\n\nGuides: {string.Join(", ", entry.Value.OrderByDescending(static mention => mention.Value).Take(4).OrderBy(mention => _documents.IndexOf(mention.Key)).Select(mention => $"[{Title(mention.Key.Source)}]({mention.Key.Page})"))}.\n\n")));
    }

    /// <summary>Writes the navigation: the bar at the top, and the bar at the side of each section.</summary>
    public void WriteContents((string Folder, string Title, (string Title, string[] Documents)[] Groups)[] sections)
    {
        var bar = new StringBuilder("items:\n");
        foreach (var (folder, title, groups) in sections)
        {
            var contents = new StringBuilder("items:\n");
            foreach (var (group, entries) in groups)
            {
                contents.Append(CultureInfo.InvariantCulture, $"- name: {group}\n  expanded: true\n  items:\n");
                foreach (var document in entries.Select(entry => Document.Of(folder, entry)))
                    contents.Append(CultureInfo.InvariantCulture, $"  - name: {Quote(document.Page == "docs/overview.md" ? "Overview" : Title(document.Source))}\n    href: {Path.GetFileName(document.Page)}\n");
            }

            Write($"{folder}/toc.yml", contents.ToString());
            bar.Append(CultureInfo.InvariantCulture, $"- name: {title}\n  href: {Document.Of(folder, groups[0].Documents[0]).Page}\n");
        }

        Write("toc.yml", $"{bar}- name: Reference\n  href: api/index.md\n");
    }

    private string Read(string path) => File.ReadAllText(Path.Combine(_root, path));

    /// <summary>Returns the Markdown of a document, without the comments that name the tests of its sentences.</summary>
    private string Text(string source)
    {
        var text = Regex.Replace(Read(source), @" <!-- test: [\w.]+ -->", "");
        return source.EndsWith(".json", StringComparison.Ordinal) ? AsyncApi.Write(text) : text;
    }

    /// <summary>Returns the first heading of a document, up to a comma or a colon.</summary>
    private string Title(string source) => Regex.Match(Text(source), @"^# ([^,:\n]*)", RegexOptions.Multiline).Groups[1].Value;

    private void Write(string page, string text)
    {
        var path = Path.Combine(_pages, page);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, text);
    }

    private string Copy(string source, string target)
    {
        var path = Path.Combine(_pages, target);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.Copy(Path.Combine(_root, source), path, overwrite: true);
        return target;
    }

    private static string Section(string text, string heading)
    {
        var parts = text.Split($"\n{heading}\n");
        return parts.Length == 2 ? Regex.Split(parts[1], $"\n#{{1,{heading.IndexOf(' ', StringComparison.Ordinal)}}} ")[0] : throw new SiteException($"There is no single section '{heading}'.");
    }

    private static string Quote(string text) => JsonSerializer.Serialize(text, s_readable);

    private static readonly JsonSerializerOptions s_readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private static string Escape(string text) => Regex.Replace(WebUtility.HtmlEncode(text), @"[\\`*_\[\]|~]", @"\$&");

    /// <summary>Applies a change to the parts of a text that are not blocks of code.</summary>
    private static string OutsideCode(string text, Func<string, string> change) =>
        string.Concat(Regex.Split(text, @"(^```.*?^```)", RegexOptions.Multiline | RegexOptions.Singleline).Select((part, index) => index % 2 == 1 ? part : change(part)));

    /// <summary>Rewrites the links of a document: to the page of another document, to the reference of a package, or to the repository. A label that is a file's name becomes the title of the page.</summary>
    private string RewriteLinks(string text, Document document) => OutsideCode(text, part => Regex.Replace(part, @"(!?)\[([^\]]+)\]\(([^)\s]+)\)", match =>
    {
        var (label, link) = (match.Groups[2].Value, match.Groups[3].Value);
        if (Regex.IsMatch(link, @"^(#|\w+:)"))
            return match.Value;
        var parts = link.Split('#', 2);
        var hash = parts.Length > 1 ? $"#{parts[1]}" : "";
        var full = Path.GetFullPath(Path.Combine(_root, Path.GetDirectoryName(document.Source)!, parts[0]));
        var file = Path.GetRelativePath(_root, full).Replace('\\', '/').TrimEnd('/');
        if (!Path.Exists(full))
            throw new SiteException($"{document.Source} links to {link}, which does not exist.");
        if (match.Groups[1].Length > 0)
            return $"![{label}]({Relative(document, Copy(file, $"images/{Path.GetFileName(file)}"))})";
        var target = _documents.Find(other => other.Source == file || other.Source == $"{file}/README.md")?.Page
            ?? _packages.Find(package => package.Folder == file)?.Page ?? (file == "Source" ? "api/index.md" : null);
        return target is not null
            ? $"[{(label.EndsWith(".md", StringComparison.Ordinal) ? Title(file) : label)}]({Relative(document, target)}{hash})"
            : $"[{label}]({_repository}/{(Directory.Exists(full) ? "tree" : "blob")}/HEAD/{file}{hash})";
    }));

    /// <summary>Lets the first mention of a type or a member on a page lead to its reference, and counts how often a guide names the type.</summary>
    private string NameTypes(string text, Document document)
    {
        if (document.Page.StartsWith("clients/", StringComparison.Ordinal))
            return text; // other languages have other types
        if (!document.Page.StartsWith("internals/", StringComparison.Ordinal) && !_lists.Contains(document.Page))
        {
            foreach (var name in Regex.Matches(text, "(?<=`)[\\w.]+(?=[`<(])|^```csharp.*?^```", RegexOptions.Multiline | RegexOptions.Singleline).SelectMany(static code => Regex.Matches(code.Value, @"\w+")).Select(static word => word.Value))
            {
                if (_names.TryGetValue(name, out var found))
                    CollectionsMarshal.GetValueRefOrAddDefault(_mentions.TryGetValue(found.Type, out var mentions) ? mentions : _mentions[found.Type] = [], document, out _)++;
            }
        }

        var named = new HashSet<string>();
        return OutsideCode(text, part => Regex.Replace(part, @"^#.*$|!?\[[^\]]*\]\([^)]*\)|(?<!`)`([\w.<>, ]+)`(?!`)", match =>
        {
            if (match.Groups[1].Length == 0 || !_names.TryGetValue(match.Groups[1].Value, out var found))
                return match.Value;
            return named.Add(match.Groups[1].Value) ? $"[{match.Value}]({Relative(document, found.Target)})" : match.Value;
        }, RegexOptions.Multiline));
    }

    private static string Relative(Document document, string target) => (document.Page.Contains('/', StringComparison.Ordinal) ? "../" : "") + target;

    /// <summary>
    /// Adds the anchors of statuses, reasons and faults, such as "sendstatus-full", and those of diagnostics, such as "rm2004".
    /// The former are the type in the heading of a section, and the first cell of a row.
    /// </summary>
    private static string AddAnchors(string text)
    {
        var type = "";
        return string.Join('\n', text.Split('\n').Select(line =>
        {
            if (line.StartsWith("## ", StringComparison.Ordinal))
                type = Regex.Match(line, @": `(\w+)`$").Groups[1].Value;
            if (Regex.Match(line, @"^### (RM\d{4}): ") is { Success: true } diagnostic)
                return $"<a id=\"{diagnostic.Groups[1].Value.ToLowerInvariant()}\"></a>\n\n{line}";
            return type.Length > 0 && Regex.Match(line, @"^\| (?:\[)?`(\w+)`") is { Success: true } row ? line.Insert(2, $"<a id=\"{$"{type}-{row.Groups[1].Value}".ToLowerInvariant()}\"></a>") : line;
        }));
    }

    /// <summary>Marks the blocks of code without a language that begin with a command as shell, so that they are highlighted.</summary>
    private static string MarkShell(string text) => Regex.Replace(text, @"^( *)```([^\n]*)\n(.*?)^\1```$", static block =>
        block.Groups[2].Length == 0 && Regex.IsMatch(block.Groups[3].Value, @"^\s*(#|\$ |(dotnet|npm|npx|node|python3|pip|git|cd|curl|sudo|docker|export|reloaded-messaging|cat|gcc|make|\.ci/\w+|Clients/\w+)\b)")
            ? $"{block.Groups[1].Value}```sh\n{block.Groups[3].Value}{block.Groups[1].Value}```"
            : block.Value, RegexOptions.Multiline | RegexOptions.Singleline);

    /// <summary>Puts the description in front of a page: whole sentences from its beginning, with 50 to 160 characters. Search engines and previews of links show it.</summary>
    private static string WithDescription(string text, string name)
    {
        const int Shortest = 50, Longest = 160;
        var prose = Regex.Replace(text, @"^```.*?^```|<!--.*?-->", "", RegexOptions.Multiline | RegexOptions.Singleline);
        var paragraphs = Regex.Split(prose, @"\n\s*\n").Where(static part => part.Length > 0 && !Regex.IsMatch(part, @"^\s*($|#|\||[-*>] |\d+\. |<\w|!\[|---)"))
            .Select(static part => Regex.Replace(WebUtility.HtmlDecode(Regex.Replace(Regex.Replace(part, @"!?\[([^\]]*)\]\([^)]*\)", "$1"), @"<[^>]+>|`|\*\*|\\(?=\W)", "")), @"\s+", " ").Trim());
        var result = "";
        foreach (var sentence in paragraphs.SelectMany(static part => Regex.Split(part, @"(?<=[.!?]) (?=[A-Z`])")))
        {
            var longer = result.Length > 0 ? $"{result} {sentence}" : sentence;
            if (longer.Length > Longest && result.Length >= Shortest)
                break;
            result = longer;
            if (result.Length > Longest)
                break;
        }

        if (result.Length > Longest)
            result = Regex.Replace(result[..(Longest - 1)], @"[\s,;:(]*\s\S*$", "") + "…";
        return result.Length >= Shortest ? $"---\ndescription: {Quote(result)}\n---\n\n{text}" : throw new SiteException($"{name} has too little prose for a description of {Shortest} characters: '{result}'.");
    }
}

/// <summary>A figure of the first page: bars of three systems, from a table of the benchmarks. This library is measured over the slower of two transports, which is that of gRPC.</summary>
internal sealed record Figures(string Title, string Note, string Unit, (string System, string Value)[] Bars)
{
    public static IEnumerable<Figures> Read(string section)
    {
        var rows = section.Split('\n').Where(static line => line.StartsWith('|')).Select(static line => line.Split('|')[1..^1].Select(static cell => cell.Trim()).ToArray()).ToList();
        Figures Of(string column, string title, string note, string unit) => new(title, note, unit,
            [.. new[] { ("this library", "this library (Unix socket)"), ("SignalR", "SignalR, MessagePack (TCP)"), ("gRPC", "gRPC (Unix socket)") }.Select(system => (system.Item1, Value(system.Item2, column)))]);
        string Value(string system, string column) => rows.Find(row => row[0] == system)?.ElementAtOrDefault(Array.IndexOf(rows[0], column)) is { Length: > 0 } value
            ? value
            : throw new SiteException($"The table of the figures on the first page has no value for {system}, {column}.");
        return [Of("requests/s", "Requests per second", "more is better", ""), Of("processor time, µs", "Processor time of a request", "less is better", " µs"), Of("allocated, B", "Allocated by a request", "less is better", " B")];
    }

    public string Html
    {
        get
        {
            double[] numbers = [.. Bars.Select(static bar => double.Parse(bar.Value, NumberStyles.Number, CultureInfo.InvariantCulture))];
            var bars = Bars.Select((bar, index) => string.Create(CultureInfo.InvariantCulture, $"<dt>{bar.System}</dt><dd{(index == 0 ? " class=\"ours\"" : "")}><span class=\"bar\" style=\"width:{numbers[index] / numbers.Max() * 100:0.0}%\"></span><b>{bar.Value}{Unit}</b></dd>"));
            return $"<div class=\"figure\"><p><strong>{Title}</strong> {Note}</p><dl>{string.Concat(bars)}</dl></div>";
        }
    }
}

/// <summary>Writes the page of an AsyncAPI document: its requests and events, the fields of its messages, and the document itself. The schemas in it have no unions and no dictionaries.</summary>
internal static class AsyncApi
{
    public static string Write(string text)
    {
        var document = JsonNode.Parse(text)!;
        var rows = document["operations"]!.AsObject().Select(entry =>
            $"| {Link(entry.Key)} | {((string?)entry.Value!["action"] == "receive" ? "request" : "event")} | {string.Join(", ", entry.Value["reply"]?["messages"]!.AsArray().Select(static one => Link((string)one!["$ref"]!)) ?? [])} | {(string?)document["components"]!["messages"]![entry.Key]!["summary"]} |");
        var messages = document["components"]!["schemas"]!.AsObject().Select(static entry =>
        {
            var fields = (entry.Value!["properties"]?.AsObject() ?? []).Select(static field => $"| `{field.Key}` | {TypeOf(field.Value!)} |").ToList();
            return $"### {Last(entry.Key)}\n\n{(string?)entry.Value["description"]}\n\n{(fields.Count > 0 ? $"| field | type |\n|---|---|\n{string.Join('\n', fields)}" : "It has no fields.")}\n";
        });
        return $"""
            # Messages of {(string?)document["info"]!["title"]}

            This is the [AsyncAPI](https://www.asyncapi.com) document of `Clients/Dashboard`, as `reloaded-messaging export --to asyncapi` writes it.

            | message | kind | reply | meaning |
            |---|---|---|---|
            {string.Join('\n', rows)}

            ## Fields

            {string.Join('\n', messages)}
            ## Document

            ```json
            {text.Trim()}
            ```

            """;
    }

    private static string Last(string text) => Regex.Replace(text, ".*[./]", "");

    private static string Link(string text) => $"[{Last(text)}](#{Last(text).ToLowerInvariant()})";

    private static string TypeOf(JsonNode schema)
    {
        if ((string?)schema["$ref"] is { } reference)
            return Link(reference);
        if (schema["items"] is { } items)
            return $"array of {TypeOf(items)}";
        if (schema["enum"] is JsonArray values)
            return string.Join(" or ", values.Select(static value => $"`{value}`"));
        var types = schema["type"] switch { JsonArray several => several.Select(static one => one!.ToString()), { } one => [one.ToString()], null => schema["anyOf"]?.AsArray().Select(static one => TypeOf(one!)) ?? ["any"] };
        return string.Join(" or ", types) + ((string?)schema["format"] is { } format ? $" ({format})" : "");
    }
}

/// <summary>The site as docfx wrote it.</summary>
internal sealed class Published(string site, string output, List<Document> documents, List<ApiType> types)
{
    private readonly Dictionary<string, string> _pages = Directory.EnumerateFiles(output, "*.html", SearchOption.AllDirectories).Where(static path => Path.GetFileName(path) != "toc.html")
        .ToDictionary(path => Path.GetRelativePath(output, path).Replace('\\', '/'), File.ReadAllText);

    public int Count => _pages.Count;

    /// <summary>Adds the previews of links, puts the members of a type before its extension methods, lets the search find members, and removes the scripts that no page loads.</summary>
    public void Finish()
    {
        foreach (var (path, written) in _pages.ToList())
        {
            var text = BreakNames(PutExtensionsLast(written));
            var (title, description) = (Match(text, "<title>(.*?)</title>"), Match(text, "<meta name=\"description\" content=\"(.*?)\">"));
            _pages[path] = text.Replace("</title>", $"</title>\n      <meta property=\"og:type\" content=\"website\">\n      <meta property=\"og:title\" content=\"{title.Trim()}\">\n      <meta property=\"og:description\" content=\"{description}\">", StringComparison.Ordinal);
            File.WriteAllText(Path.Combine(output, path), _pages[path]);
        }

        File.WriteAllText(Path.Combine(output, ".nojekyll"), ""); // GitHub Pages then serves the folder as it is
        File.Copy(Path.Combine(site, "404.html"), Path.Combine(output, "404.html")); // and this file at an address without a page

        // A type or a member is a result of its own, and is found by its name. A guide is found by its headings before its text. Pages of figures and of the
        // library itself name everything: they are found by their description alone. The first page and those of packages repeat other pages.
        var file = Path.Combine(output, "index.json");
        var found = JsonNode.Parse(File.ReadAllText(file))!.AsObject();
        var index = new JsonObject();
        foreach (var (path, entry) in found.Where(static entry => !entry.Key.StartsWith("api/", StringComparison.Ordinal) && entry.Key != "index.html"))
        {
            var named = path.Contains("benchmarks", StringComparison.Ordinal) || path.StartsWith("internals/", StringComparison.Ordinal);
            index[path] = new JsonObject
            {
                ["href"] = path,
                ["title"] = ((string)entry!["title"]!).Split('|')[0].Trim(),
                ["keywords"] = named ? "" : string.Join(' ', Regex.Matches(_pages[path], "<h[23][^>]*>(.*?)</h[23]>", RegexOptions.Singleline).Select(static match => WebUtility.HtmlDecode(Regex.Replace(match.Groups[1].Value, "<[^>]*>", "")))),
                ["summary"] = named ? WebUtility.HtmlDecode(Match(_pages[path], "<meta name=\"description\" content=\"(.*?)\">")) : (string)entry["summary"]!,
            };
        }

        foreach (var type in types)
        {
            var page = Path.ChangeExtension(type.Page, ".html");
            index[page] = new JsonObject { ["href"] = page, ["title"] = $"{type.Name.Replace("<", " <", StringComparison.Ordinal)} {type.Kind.ToLowerInvariant()}", ["keywords"] = new JsonArray(type.PlainName), ["summary"] = type.Summary };
            foreach (var (name, anchor) in type.Members) // the search splits a title at its dots and blanks, and not the words that a reader enters
                index[$"{page}#{anchor}"] = new JsonObject { ["href"] = $"{page}#{anchor}", ["title"] = $"{type.PlainName}.{name}", ["keywords"] = new JsonArray($"{type.PlainName}.{name}"), ["summary"] = "" };
        }

        File.WriteAllText(file, index.ToJsonString(new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }));
        RemoveUnused(Path.Combine(output, "public"));

        // The search requires every word, also those that the index leaves out, such as "the": a question then has no result. Without this, a page with more of the words is found first.
        const string Requirement = ".map(t=>\"+\"+t)";
        var search = Path.Combine(output, "public", "search.min.js");
        var script = File.ReadAllText(search);
        if (!script.Contains(Requirement, StringComparison.Ordinal))
            throw new SiteException($"{search} does not contain {Requirement}. Does this version of docfx search otherwise?");
        File.WriteAllText(search, script.Replace(Requirement, "", StringComparison.Ordinal));
    }

    private static string PutExtensionsLast(string text)
    {
        var extensions = Regex.Match(text, "<dl class=\"typelist extensionMethods\">\\s*<dt>Extension Methods</dt>(.*?)</dl>", RegexOptions.Singleline);
        return extensions.Success
            ? text.Remove(extensions.Index, extensions.Length).Replace("</article>", $"<h2 class=\"section\" id=\"extension-methods\">Extension Methods</h2>\n<dl class=\"typelist extensionMethods\"><dt class=\"visually-hidden\">Extension Methods</dt>{extensions.Groups[1].Value}</dl>\n</article>", StringComparison.Ordinal)
            : text;
    }

    /// <summary>Lets the name of a package in a table be broken after its dots, so that the other column has room.</summary>
    private static string BreakNames(string text) => Regex.Replace(text, @"(?<=<td><a [^>]*>)\w+(\.\w+)+(?=</a></td>)", static name => name.Value.Replace(".", ".<wbr>", StringComparison.Ordinal));

    /// <summary>Removes the scripts for diagrams, formulas and other languages, and the maps of sources: 30 MB that no page loads.</summary>
    private static void RemoveUnused(string folder)
    {
        var used = new HashSet<string>();
        void Use(string name)
        {
            if (!Regex.IsMatch(name, @"^(mermaid|tex-svg|lunr)\b") && File.Exists(Path.Combine(folder, name)) && used.Add(name) && Regex.IsMatch(name, @"\.(js|css)$"))
            {
                foreach (Match match in Regex.Matches(File.ReadAllText(Path.Combine(folder, name)), @"[\w.-]+\.(js|woff2?)\b"))
                    Use(match.Value);
            }
        }

        foreach (var name in new[] { "docfx.min.js", "docfx.min.css", "main.css", "search-worker.min.js" })
            Use(name);
        foreach (var path in Directory.EnumerateFiles(folder).Where(path => !used.Contains(Path.GetFileName(path))))
            File.Delete(path);
    }

    /// <summary>Returns what is wrong with the pages, for people who do not open each of them.</summary>
    public List<string> Check()
    {
        List<string> problems = [];
        var anchors = _pages.ToDictionary(static page => page.Key, static page => Regex.Matches(page.Value, " id=\"([^\"]*)\"").Select(static match => WebUtility.HtmlDecode(match.Groups[1].Value)).ToHashSet());
        var descriptions = new Dictionary<string, string>();
        var links = 0;
        foreach (var (path, text) in _pages)
        {
            if (Regex.Count(text, "<h1[ >]") != 1)
                problems.Add($"{path} has {Regex.Count(text, "<h1[ >]")} headings of the first level.");
            if (Regex.IsMatch(text, "<article[^>]*>\\s*(<hr|<h2[^>]*>(description|outline):)"))
                problems.Add($"{path} shows its front matter.");
            if (!path.StartsWith("api/", StringComparison.Ordinal))
            {
                var description = Match(text, "<meta name=\"description\" content=\"(.*?)\">");
                if (WebUtility.HtmlDecode(description).Length is < 50 or > 250 || !descriptions.TryAdd(description, path))
                    problems.Add($"{path} has no description of its own: '{description}'.");
            }

            foreach (var link in Regex.Matches(text, " (?:href|src)=\"([^\"]*)\"").Select(static match => WebUtility.HtmlDecode(match.Groups[1].Value)).Where(static link => !Regex.IsMatch(link, @"^(\w+:|#?$)")))
            {
                var parts = link.Split('#', 2);
                var target = parts[0].Length == 0 ? path : Path.GetRelativePath(output, Path.GetFullPath(Path.Combine(output, Path.GetDirectoryName(path)!, Uri.UnescapeDataString(parts[0])))).Replace('\\', '/');
                links++;
                if (!File.Exists(Path.Combine(output, target)) || (parts.Length > 1 && anchors.TryGetValue(target, out var ids) && !ids.Contains(Uri.UnescapeDataString(parts[1]))))
                    problems.Add($"{path} links to {link}, which does not exist.");
            }
        }

        foreach (var document in documents.Where(document => !_pages.ContainsKey(Path.ChangeExtension(document.Page, ".html"))))
            problems.Add($"{document.Source} has no page.");
        foreach (var type in types.Where(static type => Regex.IsMatch(type.Name, "(Status|Reason|Failure)$") && type.Kind == "Enum" && type.Package.Folder.StartsWith("Source/", StringComparison.Ordinal) && !type.Uid.Contains(".Wire.", StringComparison.Ordinal)))
            problems.AddRange(type.Members.Select(member => $"{type.Name}-{member.Name}".ToLowerInvariant()).Where(id => !anchors["docs/errors.html"].Contains(id)).Select(static id => $"docs/errors.html has no anchor {id}."));
        if (links < 4000)
            problems.Add($"Only {links} links were found.");
        return problems;
    }

    private static string Match(string text, string pattern) => Regex.Match(text, pattern, RegexOptions.Singleline).Groups[1].Value;
}
