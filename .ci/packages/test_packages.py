"""The packages in artifacts/packages: their contents, and the programs of their READMEs, built and run in new projects.

Run it with "python3 -m unittest discover .ci/packages" after "dotnet pack". It needs the .NET 10 SDK and liblz4.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
FEED = ROOT / "artifacts" / "packages"
WORK = ROOT / "artifacts" / "new-projects"
REPOSITORY = "https://github.com/Reloaded-Project/Reloaded.Messaging"
NET = ["net10.0", "net8.0"]
ALL = [*NET, "netstandard2.1"]

# The frameworks of each package, its other packages, and those that it needs for some frameworks only.
PACKAGES: dict[str, tuple[list[str], list[str], dict[str, list[str]]]] = {
    "Reloaded.Messaging": (ALL, [], {}),
    "Reloaded.Messaging.Transports": (ALL, ["Reloaded.Messaging"], {}),
    "Reloaded.Messaging.Transports.LiteNetLib": (NET, ["LiteNetLib", "Reloaded.Messaging.Hosting"], {}),
    "Reloaded.Messaging.Hosting": (ALL, ["Reloaded.Messaging", "Reloaded.Messaging.Transports"], {}),
    "Reloaded.Messaging.Games": (ALL, ["Reloaded.Messaging.Hosting"], {}),
    "Reloaded.Messaging.Hosting.RabbitMQ": (NET, ["RabbitMQ.Client", "Reloaded.Messaging.Hosting"], {}),
    "Reloaded.Messaging.Extensions.Hosting": (
        NET,
        ["Microsoft.Extensions.Diagnostics.HealthChecks", "Microsoft.Extensions.Hosting.Abstractions", "Microsoft.Extensions.Options", "Reloaded.Messaging.Hosting"],
        {}),
    "Reloaded.Messaging.Extensions.Hosting.RabbitMQ": (NET, ["Reloaded.Messaging.Extensions.Hosting", "Reloaded.Messaging.Hosting.RabbitMQ"], {}),
    "Reloaded.Messaging.Compression.LZ4": (NET, ["K4os.Compression.LZ4", "Reloaded.Messaging"], {}),
    "Reloaded.Messaging.Serialization.Protobuf": (NET, ["Google.Protobuf", "Reloaded.Messaging"], {}),
    "Reloaded.Messaging.RecyclableStreams": (NET, ["Microsoft.IO.RecyclableMemoryStream", "Reloaded.Messaging"], {}),
}

# The tools: the frameworks of each, and its command.
TOOLS: dict[str, tuple[list[str], str]] = {
    "Reloaded.Messaging.Tool": (NET, "reloaded-messaging"),
    "Reloaded.Messaging.Hosting.RabbitMQ.Tool": (NET, "reloaded-messaging-dead-letters"),
}

# The package of templates: the projects that a test creates, the template and the framework of each, and further options.
TEMPLATES = "Reloaded.Messaging.Templates"
OWN_TESTS = {"Reloaded.Messaging.Templates.ModLoaders", "Reloaded.Messaging.Unity"}  # beside them
NEW_PROJECTS: dict[str, tuple[str, str, list[str]]] = {
    "NewServer": ("reloaded-server", NET[0], ["--framework", NET[0]]),
    "NewClient": ("reloaded-client", NET[1], ["--framework", NET[1]]),
    "NewWorker": ("reloaded-worker", NET[0], ["--framework", NET[0]]),
    "NewGame": ("reloaded-game", NET[1], ["--framework", NET[1]]),
}

# The projects that the tool creates together.
PAIR = ["Server", "Client"]

# The packages that also contain native code, and its runtimes.
NATIVE = ["Reloaded.Messaging", "Reloaded.Messaging.Transports", "Reloaded.Messaging.Hosting"]
RUNTIMES = ["linux-x64", "win-x64"]

# The programs of a package's README, in their order. Each is built for the frameworks in the second place.
PROGRAMS: dict[str, tuple[list[str], list[str]]] = {
    "Reloaded.Messaging": (["Core"], NET),
    "Reloaded.Messaging.Hosting": (["Server", "Client"], NET),
    "Reloaded.Messaging.Transports.LiteNetLib": (["LiteNet"], NET[:1]),
    "Reloaded.Messaging.Games": (["Game"], NET[:1]),
    "Reloaded.Messaging.Hosting.RabbitMQ": (["Broker"], NET[:1]),
    "Reloaded.Messaging.Compression.LZ4": (["CompressedInManagedCode", "CompressedByLiblz4"], NET[:1]),
    "Reloaded.Messaging.Serialization.Protobuf": (["Protobuf"], NET[:1]),
    "Reloaded.Messaging.RecyclableStreams": (["Stream"], NET[:1]),
}

# The projects of other SDKs, whose implicit usings import the names of the web framework or of worker services.
SDKS = {"Web": "Microsoft.NET.Sdk.Web", "Worker": "Microsoft.NET.Sdk.Worker"}


# A run of the house alone packs no neighbour.
HOUSE = os.environ.get("RELOADED_MESSAGING_HOUSE") == "1"
if HOUSE:
    PACKAGES, TOOLS, PROGRAMS = ({name: value for name, value in table.items() if (ROOT / "Source" / name).exists()} for table in (PACKAGES, TOOLS, PROGRAMS))


def newest(name: str, extension: str = "nupkg") -> Path:
    """Returns the package of a name that was packed last."""
    found = [path for path in FEED.glob(f"{name}.*.{extension}") if re.fullmatch(r"\d.*", path.name[len(name) + 1:])]
    assert found, f"{FEED} contains no package {name}. Pack it first."
    return max(found, key=lambda path: path.stat().st_mtime_ns)


def sources() -> list[Path]:
    """Returns the folders with the sources of packages: that of the library, and those of its neighbours."""
    return [ROOT / "Source", *([] if HOUSE else ROOT.glob("Integrations/*/Source"))]


def folder(name: str) -> Path:
    """Returns the folder of a package."""
    return next(path / name for path in sources() if (path / name).exists())


def version(name: str) -> str:
    return newest(name).name[len(name) + 1:-len(".nupkg")]


def programs(readme: str) -> list[str]:
    """Returns the complete programs of a page."""
    return re.findall(r"^```csharp\n(using .*?)^```", readme.replace("\r\n", "\n"), re.MULTILINE | re.DOTALL)


def read(name: str, path: str) -> bytes:
    with zipfile.ZipFile(newest(name)) as package:
        return package.read(path)


def frameworks_of(framework: str) -> dict[str, tuple[int, ...]]:
    """Returns the assemblies of .NET and of ASP.NET Core for a framework such as "net8.0", with their versions, by the lists of the SDK's reference packs."""
    sdk = Path(shutil.which("dotnet") or "").resolve().parent / "packs"
    nuget = Path(os.environ.get("NUGET_PACKAGES", Path.home() / ".nuget" / "packages"))
    listed = {}
    for pack in ("Microsoft.NETCore.App.Ref", "Microsoft.AspNetCore.App.Ref"):
        files = [file for root in (sdk / pack, nuget / pack.lower()) for file in root.glob(f"{framework[len('net'):]}.*/data/FrameworkList.xml")]
        assert files, f"{pack} for {framework} is neither in {sdk} nor in {nuget}. A build for {framework} restores it."
        listed |= {one.attrib["AssemblyName"]: parse_version(one.attrib["AssemblyVersion"]) for one in ElementTree.parse(files[0]).iter("File")}
    return listed


def dependencies(name: str, framework: str) -> set[str]:
    """Returns the packages that a package needs for a framework, with those that its packages of the library need."""
    _, common, others = PACKAGES[name]
    direct = {*common, *others.get(framework, [])}
    return direct.union(*(dependencies(one, framework) for one in direct & set(PACKAGES)))


def parse_version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def has_native_code(assembly: bytes) -> bool:
    """Returns whether an assembly contains native code: its header of .NET has no flag that says that the file contains IL only."""
    pe = int.from_bytes(assembly[0x3C:0x40], "little")
    sections, optional = int.from_bytes(assembly[pe + 6:pe + 8], "little"), int.from_bytes(assembly[pe + 20:pe + 22], "little")
    directory = pe + 24 + (112 if assembly[pe + 24:pe + 26] == b"\x0b\x02" else 96) + 14 * 8
    header = int.from_bytes(assembly[directory:directory + 4], "little")
    for index in range(sections):
        section = pe + 24 + optional + 40 * index
        size, address, raw, offset = (int.from_bytes(assembly[section + 8 + 4 * part:section + 12 + 4 * part], "little") for part in range(4))
        if address <= header < address + max(size, raw):
            at = header - address + offset
            return not int.from_bytes(assembly[at + 16:at + 20], "little") & 1
    raise ValueError("The assembly has no header of .NET.")


class ContentsTests(unittest.TestCase):
    def test_every_project_is_packed(self) -> None:
        projects = {path.stem for source in sources() for path in source.glob("*/*.csproj")} - {"Reloaded.Messaging.Generators", "Reloaded.Messaging.Generators.CodeFixes"} - OWN_TESTS
        self.assertEqual(projects, {*PACKAGES, *TOOLS, TEMPLATES})

    def test_release_packs_every_project(self) -> None:
        paths = json.loads((ROOT / "Reloaded.Messaging.Packages.slnf").read_text())["solution"]["projects"]
        self.assertEqual({ROOT / path for path in paths}, {*(ROOT / "Source").glob("*/*.csproj")})

    def test_tool_contains_its_command_for_each_framework(self) -> None:
        for name, (frameworks, command) in TOOLS.items():
            with self.subTest(name), zipfile.ZipFile(newest(name)) as package:
                files = package.namelist()
                for framework in frameworks:
                    self.assertIn(f"tools/{framework}/any/{command}.dll", files)
                    self.assertIn(f'Name="{command}"', package.read(f"tools/{framework}/any/DotnetToolSettings.xml").decode())
                self.assertEqual(package.read("README.md"), (folder(name) / "README.md").read_bytes())
                self.assertIn("icon.png", files)

    def test_templates_have_a_project_each(self) -> None:
        check_templates(self, TEMPLATES, ROOT / "Source", NEW_PROJECTS)

    def test_package_contains_these_files_only(self) -> None:
        for name, (frameworks, _, _) in PACKAGES.items():
            with self.subTest(name), zipfile.ZipFile(newest(name)) as package:
                expected = {"README.md", "icon.png", f"{name}.nuspec"}
                expected |= {f"lib/{framework}/{name}.{extension}" for framework in frameworks for extension in ("dll", "xml")}
                if name in NATIVE:
                    expected |= {f"runtimes/{runtime}/lib/{framework}/{name}.dll" for runtime in RUNTIMES for framework in NET}
                if name == "Reloaded.Messaging":
                    expected |= {f"buildTransitive/{path.name}" for path in (ROOT / "Source" / name / "buildTransitive").iterdir()}
                    expected |= {f"analyzers/dotnet/cs/Reloaded.Messaging.{part}.dll" for part in ("Generators", "Generators.CodeFixes")}
                own = {file for file in package.namelist() if not file.startswith(("_rels/", "package/", "[Content_Types]"))}
                self.assertEqual(own, expected)
                self.assertEqual(package.read("README.md"), (folder(name) / "README.md").read_bytes())
                self.assertEqual(package.read("icon.png"), (ROOT / "Source" / "icon.png").read_bytes())

    def test_documentation_has_the_public_types_and_no_internal_ones(self) -> None:
        for name, (frameworks, _, _) in PACKAGES.items():
            surface = next(file for tests in ("Reloaded.Messaging.Tests", "Integrations/*/Tests") for file in ROOT.glob(f"{tests}/*/PublicSurface/{name}.approved.txt"))
            public = set(re.findall(r"^\S.*?\b((?:Reloaded\.Messaging|Microsoft\.Extensions)(?:\.\w+)+)", surface.read_text(encoding="utf-8-sig"), re.MULTILINE))
            for framework in frameworks:
                with self.subTest(f"{name}, {framework}"):
                    documentation = ElementTree.fromstring(read(name, f"lib/{framework}/{name}.xml").decode("utf-8-sig"))
                    documented = {re.sub(r"`\d+", "", one.attrib["name"][2:]) for one in documentation.iter("member") if one.attrib["name"].startswith("T:")}
                    if framework in NET:
                        self.assertEqual(documented, public)
                    else:
                        self.assertLessEqual(documented, public | {"Reloaded.Messaging.ITimer", "Reloaded.Messaging.TimeProvider"})  # those of .NET 8, for this target

    def test_native_code_is_in_the_runtime_folders_only(self) -> None:
        for name in NATIVE:
            with zipfile.ZipFile(newest(name)) as package:
                for file in package.namelist():
                    if file.endswith(f"/{name}.dll"):
                        with self.subTest(file):
                            self.assertEqual(has_native_code(package.read(file)), file.startswith("runtimes/"))

    def test_package_names_its_dependencies_and_its_repository(self) -> None:
        newest_changes = re.search("^## (.*)$", (ROOT / "CHANGES.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
        for name, (frameworks, common, others) in PACKAGES.items():
            with self.subTest(name):
                text = re.sub(r' xmlns="[^"]+"', "", read(name, f"{name}.nuspec").decode("utf-8-sig"))
                metadata = ElementTree.fromstring(text).find("metadata")
                groups = {
                    group.attrib["targetFramework"].replace(".NETStandard", "netstandard"): sorted(one.attrib["id"] for one in group)
                    for group in metadata.iter("group")}
                self.assertEqual(groups, {one: sorted(common + others.get(one, [])) for one in frameworks})
                own = {(one.attrib["id"], one.attrib["version"]) for one in metadata.iter("dependency") if one.attrib["id"] in PACKAGES}
                self.assertEqual(own, {(one, version(one)) for one in common if one in PACKAGES})
                self.assertFalse([one.attrib for one in metadata.iter("dependency") if one.attrib["id"] == "Reloaded.Messaging" and "Analyzers" in one.attrib.get("exclude", "")])
                self.assertEqual(metadata.findtext("projectUrl"), REPOSITORY)
                self.assertEqual(metadata.findtext("releaseNotes"), f"{REPOSITORY}/blob/HEAD/CHANGES.md#{newest_changes.replace('.', '')}")
                self.assertEqual(metadata.findtext("license"), "MIT")
                self.assertEqual((metadata.findtext("readme"), metadata.findtext("icon")), ("README.md", "icon.png"))
                repository = metadata.find("repository").attrib
                self.assertEqual((repository["type"], repository["url"]), ("git", REPOSITORY))
                self.assertRegex(repository["commit"], "^[0-9a-f]{40}$")

    def test_assemblies_refer_to_what_their_framework_or_a_dependency_contains(self) -> None:
        listed = {framework: frameworks_of(framework) for framework in NET} | {"netstandard2.1": {"netstandard": (2, 1, 0, 0)}}
        with tempfile.TemporaryDirectory() as temporary:
            files = {f"{temporary}/{name}.{framework}": (name, framework) for name, (frameworks, _, _) in PACKAGES.items() for framework in frameworks}
            for file, (name, framework) in files.items():
                Path(file).write_bytes(read(name, f"lib/{framework}/{name}.dll"))
            printed = subprocess.run(["dotnet", "run", ".ci/packages/references.cs", "--", *files], cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=300)

        self.assertEqual(printed.returncode, 0, printed.stdout)
        references = [line.split("\t") for line in printed.stdout.splitlines()]
        self.assertEqual({file for file, _, _ in references}, set(files))
        for file, reference, number in references:
            name, framework = files[file]
            with self.subTest(f"{name}, {framework}: {reference} {number}"):
                if reference in listed[framework]:
                    self.assertLessEqual(parse_version(number), listed[framework][reference])
                else:
                    self.assertIn(reference, dependencies(name, framework))

    def test_readme_links_are_absolute_and_lead_to_existing_files(self) -> None:
        readmes = [file for source in sources() for file in source.glob("**/README.md") if (file.parent / f"{file.parent.name}.csproj").exists()]
        self.assertGreater(len(readmes), len(PACKAGES))
        for readme in readmes:
            for link in re.findall(r"\]\(([^)\s]+)\)", readme.read_text(encoding="utf-8")):
                with self.subTest(f"{readme.parent.name}: {link}"):
                    found = re.fullmatch(re.escape(REPOSITORY) + r"(?:/(?:blob|tree)/HEAD/([^#]+)(#.+)?)?", link)
                    self.assertIsNotNone(found)
                    path, heading = found.groups()
                    self.assertTrue((ROOT / (path or "")).exists())
                    if heading:
                        titles = re.findall(r"^#+ (.*)$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
                        self.assertIn(heading[1:], [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles])

    def test_symbols_link_to_the_sources(self) -> None:
        for name, (frameworks, _, _) in PACKAGES.items():
            with self.subTest(name), zipfile.ZipFile(newest(name, "snupkg")) as package:
                symbols = {file for file in package.namelist() if file.endswith(".pdb")}
                self.assertEqual(symbols, {f"lib/{framework}/{name}.pdb" for framework in frameworks})
                for file in symbols:
                    self.assertIn(b"https://raw.githubusercontent.com/Reloaded-Project/Reloaded.Messaging/", package.read(file))

    def test_programs_of_the_repository_readme_are_those_of_the_packages(self) -> None:
        packaged = [program for name in PROGRAMS for program in programs(read(name, "README.md").decode())]
        for program in programs((ROOT / "README.md").read_text(encoding="utf-8")):
            self.assertIn(program, packaged)


class ReproducibleTests(unittest.TestCase):
    """docs/internals/releasing.md compares all packages of two clones. This test does it for one assembly."""

    @unittest.skipUnless(os.environ.get("CI") == "true", "The assemblies contain the paths of this folder unless CI=true is set.")
    def test_generator_has_the_same_bytes_in_another_folder(self) -> None:
        second = ROOT / "artifacts" / "second-folder"
        shutil.rmtree(second, ignore_errors=True)
        git = ["git", "-C", str(ROOT)]
        self.assertEqual(subprocess.run([*git, "clone", "-q", "--shared", "--no-checkout", str(ROOT), str(second)]).returncode, 0)
        name = "Reloaded.Messaging.Generators"
        needed = [".editorconfig", ".gitignore", "*.props", "*.targets", "global.json", "Source/BannedSymbols.txt", "Source/NetStandard", "Source/Shared", f"Source/{name}"]
        listed = subprocess.run([*git, "ls-files", "-co", "--exclude-standard", *needed], stdout=subprocess.PIPE, text=True)
        for path in listed.stdout.splitlines():
            (second / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, second / path)

        built = subprocess.run(["dotnet", "build", "-c", "Release", "-v", "q", "-nologo", "-p:RunAnalyzers=false", f"Source/{name}"], cwd=second, stdout=subprocess.PIPE, text=True, timeout=200)

        self.assertEqual(built.returncode, 0, built.stdout)
        self.assertTrue((second / f"Source/{name}/bin/Release/netstandard2.0/{name}.dll").read_bytes() == read("Reloaded.Messaging", f"analyzers/dotnet/cs/{name}.dll"))


class VersionTests(unittest.TestCase):
    def test_all_versions_with_one_major_number_have_one_assembly_version(self) -> None:
        read = subprocess.run(
            ["dotnet", "msbuild", "Source/Reloaded.Messaging", "-getProperty:AssemblyVersion", "-p:Version=3.7.2-alpha.1", "-p:TargetFramework=netstandard2.1"],
            cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(read.stdout.strip(), "3.0.0.0")


class NoBuildTests(unittest.TestCase):
    def test_pack_of_a_build_without_all_frameworks_says_what_to_do(self) -> None:
        packed = subprocess.run(["dotnet", "msbuild", "Source/Reloaded.Messaging.Games", "-t:CheckFrameworksToPack", "-p:NoBuild=true", "-p:Configuration=NotBuilt"], cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(packed.returncode, 1, packed.stdout)
        self.assertIn("Reloaded.Messaging.Games was not built for netstandard2.1", packed.stdout)
        self.assertIn("Pack without --no-build", packed.stdout)


class NewProjectTests(unittest.TestCase):
    """Restores the packages into new projects, as a user would. All projects are built at once."""

    @classmethod
    def setUpClass(cls) -> None:
        prepare_work()
        cls.found = {name: programs(read(name, "README.md").decode()) for name in PROGRAMS}
        for name, (names, frameworks) in PROGRAMS.items():
            assert len(cls.found[name]) == len(names), f"The README of {name} has {len(cls.found[name])} programs."
            for project, program in zip(names, cls.found[name]):
                add_project(project, name, frameworks, program)
        add_project("Library", "Reloaded.Messaging.Hosting", ALL[-1:], as_library(
            [program for name in ("Reloaded.Messaging", "Reloaded.Messaging.Hosting") for program in cls.found[name]]))
        for project, sdk in SDKS.items():
            add_sdk_project(project, sdk)
        add_from_templates(TEMPLATES, NEW_PROJECTS)
        cls.pair = add_by_tool()
        projects = [project for names, _ in PROGRAMS.values() for project in names] + ["Library", *SDKS, *NEW_PROJECTS]
        (WORK / "All.slnx").write_text("<Solution>" + "".join(f'<Project Path="{one}/{one}.csproj" />' for one in projects) + "<Folder Name=\"/Pair/\">" + "".join(f'<Project Path="Pair/{one}/{one}.csproj" />' for one in PAIR) + "</Folder></Solution>")
        cls.build = run(["dotnet", "build", "-v", "q", "-nologo", "All.slnx"], timeout=400)

    def test_programs_build_without_warnings(self) -> None:
        self.assertEqual(self.build.returncode, 0, self.build.stdout)
        self.assertIn(" 0 Warning(s)", self.build.stdout)

    def test_library_contains_generated_contracts(self) -> None:
        self.assertIn(b"MessageContracts", (WORK / "Library/bin/Debug/netstandard2.1/Library.dll").read_bytes())

    def test_core_packs_and_dispatches(self) -> None:
        for framework in NET:
            self.assertEqual(self.output("Core", framework), "13 bytes, Handled: Move { X = 1, Y = 2, Z = 3 }\n")

    def test_client_of_one_framework_talks_to_server_of_the_other(self) -> None:
        for server_framework, client_framework in (NET, NET[::-1]):
            with Waiting("Server", server_framework) as server:
                self.assertIn("greetings", server.first_line)
                self.assertEqual(self.output("Client", client_framework), "Hello, Ada!\n")
            self.assertEqual(server.returncode, 0)

    def test_game_server_starts_and_stops(self) -> None:
        with Waiting("Game") as server:
            self.assertIn("9050", server.first_line)
        self.assertEqual(server.returncode, 0)

    def test_server_and_client_of_litenet_talk(self) -> None:
        with Waiting("LiteNet") as program:
            self.assertEqual(program.first_line, "Position { X = 1, Y = 2 }\n")
        self.assertEqual(program.returncode, 0)

    def test_extensions_pack(self) -> None:
        self.assertLess(int(self.output("CompressedInManagedCode")), 200)
        self.assertLess(int(self.output("CompressedByLiblz4")), 200)
        self.assertEqual(self.output("Protobuf"), "7\n")
        self.assertEqual(self.output("Stream"), "13\n")

    def test_new_client_talks_to_new_server(self) -> None:
        with Waiting("NewServer", NEW_PROJECTS["NewServer"][1]) as server:
            self.assertIn("greetings", server.first_line)
            with Waiting("NewClient", NEW_PROJECTS["NewClient"][1]) as client:
                self.assertRegex(client.first_line + client.process.stdout.readline() + client.process.stdout.readline(), "Hello, .*!")
        self.assertEqual((server.returncode, client.returncode), (0, 0))

    def test_pair_by_the_tool_talks_as_the_tool_says(self) -> None:
        server_path, client_path = re.search("'dotnet run --project (.*?)'.*'dotnet run --project (.*?)'", self.pair).groups()
        with Waiting(server_path, NET[1]) as server:
            self.assertIn("greetings", server.first_line)
            with Waiting(client_path, NET[1]) as client:
                self.assertRegex(client.first_line + client.process.stdout.readline() + client.process.stdout.readline(), "Hello, .*!")
        self.assertEqual((server.returncode, client.returncode), (0, 0))

    def test_new_worker_listens(self) -> None:
        with Waiting("NewWorker", stops=True) as worker:
            text = worker.first_line
            while "Application started" not in text:
                line = worker.process.stdout.readline()
                self.assertTrue(line, text)
                text += line
        self.assertIn("reloaded-worker", text)

    def test_new_game_shows_its_bots_to_each_other(self) -> None:
        framework = NEW_PROJECTS["NewGame"][1]
        with Waiting("NewGame", framework, stops=True) as game:
            self.assertIn("9050", game.first_line)
            self.assertIn((WORK / "players.txt").read_text().splitlines()[0], game.process.stdout.readline())
            with Waiting("NewGame", framework, stops=True, arguments=["bot", "Ada"]), Waiting("NewGame", framework, stops=True, arguments=["bot", "Bob"]) as bob:
                seen = ""
                while not re.search("Bob sees .*Ada at", seen):
                    seen = bob.process.stdout.readline()
                    self.assertTrue(seen, "The bot ended.")

    def test_tool_is_installed_and_decodes(self) -> None:
        help_text = tool("--help")
        self.assertEqual(help_text.returncode, 0, help_text.stdout)
        for verb in ("new", "watch", "decode", "send", "request", "record", "replay"):
            self.assertIn(f"  {verb} ", help_text.stdout)
        decoded = tool("decode", "0503000000AA")
        self.assertEqual((decoded.returncode, decoded.stdout), (0, "event 3, 5 bytes: 000000AA\n"))

    def output(self, project: str, framework: str = NET[0]) -> str:
        ended = run(command(project, framework), timeout=60)
        self.assertEqual(ended.returncode, 0, ended.stdout)
        return ended.stdout


class Waiting:
    """A running program that ends when a line is entered, or (stops) by a signal. Ends it at the end of the block."""

    def __init__(self, project: str, framework: str = NET[0], stops: bool = False, arguments: list[str] = []) -> None:
        self.process = subprocess.Popen([*command(project, framework), *arguments], cwd=WORK, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.stops = stops
        self.first_line = self.process.stdout.readline()

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self.stops:
                self.process.terminate()
            self.process.communicate("\n", timeout=60)
        finally:
            self.process.kill()
            self.returncode = self.process.wait()


def prepare_work(*feeds: Path) -> None:
    """Creates the folder of the new projects, which use the packages of this repository and of other feeds."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    # These files keep the settings of the repository out of the new projects.
    for file in ("Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props"):
        (WORK / file).write_text("<Project />")
    sources = "".join(f'<add key="{feed.name}" value="{feed}" />' for feed in (FEED, *feeds))
    (WORK / "nuget.config").write_text(f"""<configuration>
  <config><add key="globalPackagesFolder" value="{WORK / 'cache'}" /></config>
  <packageSources>{sources}</packageSources>
</configuration>""")


def add_project(project: str, package: str, frameworks: list[str], code: str) -> None:
    folder = WORK / project
    folder.mkdir()
    (folder / "Program.cs").write_text(code)
    is_library = frameworks == ALL[-1:]
    (folder / f"{project}.csproj").write_text(f"""<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>{'Library' if is_library else 'Exe'}</OutputType>
    <TargetFrameworks>{';'.join(frameworks)}</TargetFrameworks>
    {'<LangVersion>latest</LangVersion>' if is_library else ''}
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
    <UseAppHost>false</UseAppHost>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="{package}" Version="[{version(package)}]" />
  </ItemGroup>
</Project>""")


def check_templates(test: unittest.TestCase, package: str, source: Path, projects: dict[str, tuple[str, str, list[str]]]) -> None:
    with zipfile.ZipFile(newest(package)) as content:
        files = content.namelist()
        test.assertEqual(content.read("README.md"), (source / package / "README.md").read_bytes())
    names = {template for template, _, _ in projects.values()}
    test.assertEqual(len([file for file in files if file.endswith("/.template.config/template.json")]), len(names))
    test.assertEqual(len([file for file in files if file.endswith(".csproj")]), len(names))
    test.assertFalse([file for file in files if file.endswith(".dll")])


def add_from_templates(package: str, projects: dict[str, tuple[str, str, list[str]]]) -> None:
    """Installs the templates of a package for this test alone, and creates the projects."""
    hive = ["--debug:custom-hive", str(WORK / "templates")]
    installed = run(["dotnet", "new", "install", str(newest(package)), *hive], timeout=100)
    assert installed.returncode == 0, installed.stdout
    for project, (template, _, options) in projects.items():
        created = run(["dotnet", "new", template, "-o", project, *options, *hive], timeout=100)
        assert created.returncode == 0, created.stdout
        assert re.search("README.md .*has the next steps.", created.stdout) and (WORK / project / "README.md").read_text(encoding="utf-8").startswith(f"# {project}\n"), created.stdout


def tool(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the tool that add_by_tool has installed."""
    return run([str(WORK / "tools" / next(iter(TOOLS.values()))[1]), *arguments], timeout=60)


def add_by_tool() -> str:
    """Installs the tool for this test alone, and creates a pair of projects. Returns what the tool prints."""
    name = next(iter(TOOLS))
    installed = run(["dotnet", "tool", "install", name, "--version", version(name), "--tool-path", str(WORK / "tools"), "--source", str(FEED)], timeout=100)
    assert installed.returncode == 0, installed.stdout
    created = tool("new", "Pair", "--framework", NET[1])
    assert created.returncode == 0, created.stdout
    return created.stdout


def public_types() -> tuple[set[str], list[str]]:
    """Returns the namespaces of all packages that a program imports, and their types by short names, as in "IEventHandler<>"."""
    namespaces, types = {"Reloaded.Messaging", *PACKAGES} - {"Reloaded.Messaging.Transports"}, []
    for file in (ROOT / "Reloaded.Messaging.Tests").glob("*/PublicSurface/*.approved.txt"):
        for namespace, name, parameters in re.findall(r"^\S.*?\b(Reloaded\.Messaging(?:\.\w+)*)\.(\w+)(?:<([^>]*)>)?", file.read_text(encoding="utf-8-sig"), re.MULTILINE):
            if namespace in namespaces:
                types.append(name + ("<" + "," * parameters.count(",") + ">" if parameters else ""))
    return namespaces, types


def add_sdk_project(project: str, sdk: str) -> None:
    """Adds a project that refers to all packages, and uses each of their types by its short name."""
    folder = WORK / project
    folder.mkdir()
    namespaces, types = public_types()
    usings = "\n".join(f"using {namespace};" for namespace in sorted(namespaces))
    (folder / "Program.cs").write_text(usings + "\nType[] types =\n[\n" + "\n".join(f"    typeof({name})," for name in types) + "\n];\nConsole.WriteLine(types.Length);\n")
    references = "\n".join(f'    <PackageReference Include="{package}" Version="[{version(package)}]" />' for package in PACKAGES)
    if project != "Web":
        # It contains the package that projects of worker services refer to.
        references += '\n    <FrameworkReference Include="Microsoft.AspNetCore.App" />'
    (folder / f"{project}.csproj").write_text(f"""<Project Sdk="{sdk}">
  <PropertyGroup>
    <TargetFramework>{NET[0]}</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
    <UseAppHost>false</UseAppHost>
  </PropertyGroup>
  <ItemGroup>
{references}
  </ItemGroup>
</Project>""")


def as_library(sources: list[str]) -> str:
    """Returns the programs as methods of one class. Types that several programs declare are declared once."""
    usings, methods, types = set(), [], []
    for source in sources:
        lines = source.splitlines()
        start = next(i for i, line in enumerate(lines) if not line.startswith("using ") or "=" in line)
        end = next(i for i, line in enumerate(lines) if line.startswith("["))
        usings |= set(lines[:start])
        methods.append("\n".join(lines[start:end]))
        types += [line for line in lines[end:] if line not in types]
    bodies = "\n".join(f"public static async Task Program{i}Async() {{ await Task.CompletedTask; {body} }}" for i, body in enumerate(methods))
    # The page on contracts asks for this type with records on netstandard2.1.
    polyfill = "namespace System.Runtime.CompilerServices { internal static class IsExternalInit { } }"
    return "\n".join([*sorted(usings), f"public static class Programs {{ {bodies} }}", *types, polyfill])


def command(project: str, framework: str) -> list[str]:
    return ["dotnet", str(WORK / project / "bin" / "Debug" / framework / f"{Path(project).name}.dll")]


def environment() -> dict[str, str]:
    # The programs for .NET 8 run on the newest installed runtime.
    runtime = WORK / "run"
    runtime.mkdir(mode=0o700, exist_ok=True)
    return {**os.environ, "DOTNET_ROLL_FORWARD": "Major", "DOTNET_NOLOGO": "1", "XDG_RUNTIME_DIR": str(runtime)}


def run(arguments: list[str], timeout: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, cwd=WORK, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout)


if __name__ == "__main__":
    unittest.main()
