"""The package of templates for mods: a project is created from each template, and built with the packages of the library and stand-ins of the packages of the loaders.

Run it with "python3 -m unittest" in this folder, after "dotnet pack" of Reloaded.Messaging.sln and of ModLoaders.slnx. It needs the .NET 10 SDK.
"""

from __future__ import annotations

import json
import sys
import unittest
import zipfile
from pathlib import Path

NEIGHBOUR = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(NEIGHBOUR.parents[1] / ".ci" / "packages"))
import test_packages as packages  # noqa: E402

packages.WORK = packages.ROOT / "artifacts" / "new-mods"
LOADER_FEED = packages.WORK / "loaders"

TEMPLATES = "Reloaded.Messaging.Templates.ModLoaders"

# The projects that a test creates, the template and the framework of each, and further options.
NEW_PROJECTS: dict[str, tuple[str, str, list[str]]] = {
    "NewPlugin": ("reloaded-bepinex", "netstandard2.1", ["--id", "new.id"]),
    "NewMod": ("reloaded-mod", "net8.0", ["--id", "new.id"]),
    "NewMono": ("reloaded-bepinex6", "netstandard2.1", ["--id", "new.id"]),
    "NewIL2CPP": ("reloaded-bepinex6", "net6.0", ["--id", "new.id", "--runtime", "il2cpp", "--game", "new-game"]),
    "NewNet": ("reloaded-bepinex6", "netstandard2.1", ["--id", "new.id", "--runtime", "net"]),
    "NewMelon": ("reloaded-melonloader", "netstandard2.1", []),
    "NewMelonIL2CPP": ("reloaded-melonloader", "net6.0", ["--runtime", "il2cpp"]),
    "NewSmapi": ("reloaded-smapi", "net6.0", ["--id", "new.id"]),
}

# The packages of the loaders, of which the tests have stand-ins: the version of each, the folder of its stand-in, and the folders of its assembly.
LOADERS: dict[str, tuple[str, str | None, list[str]]] = {
    "BepInEx.Core": ("5.4.23", "BepInEx", ["lib/netstandard2.1"]),
    "UnityEngine.Modules": ("2021.3.1", None, ["lib/netstandard2.0"]),
    "BepInEx.Unity.Mono": ("6.0.0-be.1", "BepInEx6", ["lib/netstandard2.0"]),
    "BepInEx.Unity.IL2CPP": ("6.0.0-be.1", "BepInEx6", ["lib/net6.0"]),
    "BepInEx.NET.Common": ("6.0.0-be.1", "BepInEx6", ["lib/netstandard2.1"]),
    "LavaGang.MelonLoader": ("0.7.2", "MelonLoader", ["lib/net35", "lib/net6.0"]),
    "Pathoschild.Stardew.ModBuildConfig": ("4.1.0", "SMAPI", ["ref/net6.0"]),
    "Reloaded.Mod.Interfaces": ("2.4.0", "ReloadedII", ["lib/net8.0"]),
}


class TemplateTests(unittest.TestCase):
    """Creates and builds all projects at once, as a user would."""

    @classmethod
    def setUpClass(cls) -> None:
        packages.prepare_work(LOADER_FEED)
        add_loaders()
        packages.add_from_templates(TEMPLATES, NEW_PROJECTS)
        (packages.WORK / "All.slnx").write_text("<Solution>" + "".join(f'<Project Path="{one}/{one}.csproj" />' for one in NEW_PROJECTS) + "</Solution>")
        cls.build = packages.run(["dotnet", "build", "-v", "q", "-nologo", "All.slnx"], timeout=400)

    def test_package_has_a_project_for_each_template(self) -> None:
        packages.check_templates(self, TEMPLATES, NEIGHBOUR / "Source", NEW_PROJECTS)

    def test_projects_build_without_warnings(self) -> None:
        self.assertEqual(self.build.returncode, 0, self.build.stdout)
        self.assertIn(" 0 Warning(s)", self.build.stdout)

    def test_new_mods_contain_the_files_that_they_ship(self) -> None:
        library = [f"{name}.dll" for name in ("Reloaded.Messaging", "Reloaded.Messaging.Hosting", "Reloaded.Messaging.Transports")]
        mods = {name: [] for name in ("NewPlugin", "NewMono", "NewIL2CPP", "NewNet", "NewMelon", "NewMelonIL2CPP", "NewSmapi")}
        mods["NewMod"] = ["ModConfig.json", "NewMod.deps.json", "runtimes"]
        for project, others in mods.items():
            files = [path.name for path in (packages.WORK / project / "bin" / "Debug" / NEW_PROJECTS[project][1]).iterdir() if path.suffix != ".pdb"]
            self.assertEqual(sorted(files), sorted([f"{project}.dll", *library, *others]))
        config = json.loads((packages.WORK / "NewMod/ModConfig.json").read_text())
        self.assertEqual((config["ModDll"], config["ModId"]), ("NewMod.dll", "new.id"))
        manifest = json.loads((packages.WORK / "NewSmapi/manifest.json").read_text())
        self.assertEqual((manifest["EntryDll"], manifest["UniqueID"]), ("NewSmapi.dll", "new.id"))
        for project in ("NewPlugin", "NewMono", "NewIL2CPP", "NewNet"):
            self.assertIn('[BepInPlugin("new.id", ', (packages.WORK / project / "InspectorPlugin.cs").read_text())
        self.assertIn("<GameFolder>new-game<", (packages.WORK / "NewIL2CPP/NewIL2CPP.csproj").read_text())


    def test_folder_of_a_plugin_gets_what_the_plugin_ships(self) -> None:
        library = [f"{name}.dll" for name in ("Reloaded.Messaging", "Reloaded.Messaging.Hosting", "Reloaded.Messaging.Transports")]
        for project, others in {"NewMod": ["ModConfig.json"], "NewPlugin": [], "NewSmapi": []}.items():
            with self.subTest(project):
                folder = packages.WORK / "games" / project
                built = packages.run(["dotnet", "build", "-v", "q", "-nologo", "--no-restore", project, f"-p:PluginFolder={folder}"], timeout=200)
                self.assertEqual(built.returncode, 0, built.stdout)
                self.assertEqual(sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()), sorted([f"{project}.dll", *library, *others]))


def add_loaders() -> None:
    """Packs the stand-ins of the loaders under the names of their packages."""
    LOADER_FEED.mkdir()
    for package, (number, source, folders) in LOADERS.items():
        with zipfile.ZipFile(LOADER_FEED / f"{package}.{number}.nupkg", "w") as file:
            file.writestr(f"{package}.nuspec", f"<package><metadata><id>{package}</id><version>{number}</version><authors>-</authors><description>A stand-in</description></metadata></package>")
            for folder in folders:
                if not source:
                    file.writestr(f"{folder}/_._", "")
                    continue
                for assembly in (NEIGHBOUR / "Examples/LoaderStandIns" / source).glob("bin/Release/*/*.dll"):
                    file.write(assembly, f"{folder}/{assembly.name}")


if __name__ == "__main__":
    unittest.main()
