"""The steps of .ci/run, in the order in which they start when there is a place."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from runner import Step, Verification, closing_line, dotnet_test, node_test, stop, unittest

TESTS = "Reloaded.Messaging.Tests"
RABBITMQ = "Integrations/RabbitMQ"
MOD_LOADERS = "Integrations/ModLoaders"
CLIENTS = "Clients"
PYTHON_TESTS = ["python3", "-m", "unittest"]
PACKED: list[str] = []  # the steps that the suites of the library wait for
BUILT: list[str] = []  # the steps that the others wait for
HOUSE = sys.argv[1:] == ["house"]
ALL = sys.argv[1:] == ["all"]
LAST = ["all"] if ALL else []  # the last argument of programs that do more before a release

# A folder for published servers: those of another run would remove what the tests leave behind on purpose.
work = Path(tempfile.mkdtemp())
results = work / "results"  # of the tests without optional programs
results_with_programs = work / "with-programs"  # of the tests that were skipped there, and of those with more input
results_again = work / "again"  # of failed tests
published = work / "published"
for folder in (results, results_with_programs, results_again, published):
    folder.mkdir(mode=0o700)
os.environ.update(
    # One compiler for all projects, which ends with this program. Without the profiles of the JIT, programs that run for a minute or less,
    # such as compilers and tests, need a third less processor time. With 64 MiB (in hexadecimal) between two garbage collections, they need a tenth less again.
    CI="true", DOTNET_NOLOGO="1", DOTNET_CLI_TELEMETRY_OPTOUT="1", UseSharedCompilation="true", DOTNET_TieredPGO="0", DOTNET_GCgen0size="4000000",
    # The extent of long tests, which is smaller for a developer.
    RELOADED_MESSAGING_EXTENT="1",
    # The test vectors that .ci/wycheproof gets.
    RELOADED_MESSAGING_WYCHEPROOF=os.path.abspath("artifacts/wycheproof"),
    XDG_RUNTIME_DIR=str(published))


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def shell(script: str) -> list[str]:
    return ["bash", "-euo", "pipefail", "-c", script]


def program(project: str) -> list[str]:
    return ["dotnet", f"{project}/bin/Release/net10.0/{Path(project).name}.dll"]


def hidden(*command: str) -> list[str]:
    """Returns a command that runs as for a newcomer: without RabbitMQ, liblz4 and other optional programs, where this user can hide them."""
    script = '''if .ci/without-programs true; then exec .ci/without-programs "$@"; fi
        echo "Tests without optional programs: not run, since this user cannot mount an overlay, or a program cannot be hidden"
        exec "$@"'''
    return ["bash", "-c", script, "bash", *command]


def suites_again(*, with_programs: bool = False) -> list[str]:
    """Returns the command that runs failed tests of suites once more. Their results replace no others."""
    return [".ci/suites", "1", str(results_again)] if with_programs else hidden(".ci/suites", "1", str(results_again))


def suite(name: str) -> Step:
    """Returns the step for a line of .ci/suites: a suite, a framework, and arguments."""
    if HOUSE:
        name = " ".join(name.split()[:2])  # no later step runs tests with more input
    return Step(" ".join(name.split()[:2]), hidden(".ci/suites", "1", str(results)), PACKED, closing_line, 2, environment=longest_cases if name.startswith("Generators") else dict if " net10.0" in name else short_cases, input=lambda: name, again=suites_again())


def longest_cases() -> dict[str, str]:
    """For the suite of the generators, and those that run the clients in other languages, whose longest tests run in full before a release."""
    return {"RELOADED_MESSAGING_EXTENT": "2" if ALL else "1"}


def short_cases() -> dict[str, str]:
    """For builds and systems whose code is nearly that of net10.0 on Linux, where the suites run the long tests in full."""
    return {"RELOADED_MESSAGING_EXTENT": "1" if ALL else "0"}


def neighbour(name: str, folder: str, lines: int) -> Step:
    return Step(name, hidden(".ci/neighbour", folder, "test", str(results)), BUILT, closing_line, lines, again=suites_again())


def more_input(name: str, line: str, after: Sequence[str] = ()) -> Step:
    return Step(name, [".ci/suites", "1", str(results_with_programs)], [*BUILT, *after], closing_line, 2, environment=more_extent, input=lambda: line, again=suites_again(with_programs=True))


def more_extent() -> dict[str, str]:
    native = os.path.abspath("artifacts/native/smoke/native-aot")  # starts sooner than the program that the JIT compiles
    return {"RELOADED_MESSAGING_EXTENT": "3" if ALL else "2", **({"RELOADED_MESSAGING_GAME": native} if os.path.exists(native) else {})}


def example(name: str, lines: int, project: str, *arguments: str) -> Step:
    return Step(name, [*program(f"Examples/{project}"), *arguments], BUILT, show=lines)


def names(steps: Sequence[Step]) -> list[str]:
    return [step.name for step in steps]


def in_turn(*steps: Step) -> list[Step]:
    """Lets each step wait for the one before it."""
    for before, step in zip(steps, steps[1:]):
        step.after = [*step.after, before.name]
    return list(steps)


def unless_house(*steps: Step) -> list[Step]:
    """Returns the steps; none in a run of the house alone."""
    return [] if HOUSE else list(steps)


def before_release(*steps: Step) -> list[Step]:
    """Returns the steps of a run with "all"; otherwise, none."""
    return list(steps) if ALL else []


def tests_of_brokers() -> str:
    """Returns the filters of the tests that were skipped without a broker; without such a run, those of all tests that may need one."""
    skipped = re.search(r"^Hosting\.RabbitMQ\.Tests \S+(.+)", output_of(".ci/skipped-tests", str(results), "lines"), re.MULTILINE)
    return skipped[1] if skipped else "-class- *.SimulationTests"


def skipped_tests() -> str | None:
    lines = output_of(".ci/skipped-tests", str(results), "lines")
    if not (ALL or HOUSE) and not output_of(f"{RABBITMQ}/.ci/rabbitmq4", "prepare"):  # RabbitMQ 3.10, which gets no more fixes, has its turn before a release
        lines = re.sub(r"^Hosting\.RabbitMQ\.Tests .*\n?", "", lines, flags=re.MULTILINE)
    return lines or None


def without(*programs: str) -> Callable[[], str]:
    """Returns a function that names the first program that is missing."""
    return lambda: next((f"{program} cannot be installed here" for program in programs if not shutil.which(program)), "")


def browser_is_missing() -> str:
    if missing := without("node", "npm", "chromium")():
        return missing
    return next((f"the npm package {name} cannot be installed here: see artifacts/npm.log" for name in ("playwright-core", "axe-core") if not Path("artifacts/npm/node_modules", name).exists()), "")


def node_is_missing() -> str:
    return without("node", "npm")() or ("Node 20 or later cannot be installed here" if int(output_of("node", "-p", "parseInt(process.versions.node)")) < 20 else "")


def find_net8() -> str:
    """Gets the program for the suites of net8.0, and returns why it is missing. Without it, they run on the newest runtime."""
    found = subprocess.run([".ci/runtime", "net8.0", "linux-x64"], check=False, stdout=subprocess.PIPE, text=True)
    output = found.stdout.strip()
    if found.returncode == 0:
        os.environ["RELOADED_MESSAGING_NET8"] = f"{output}/dotnet"
    return "" if found.returncode == 0 else output


net8_is_missing = "" if HOUSE else find_net8()

# Style is checked by every build; this is the rest: white space and ends of lines. It reads every folder, so no program is installed into them meanwhile.
formatting = Step("Format", ["dotnet", "format", "whitespace", ".", "--folder", "--verify-no-changes", "--exclude", "**/bin/", "**/obj/", "artifacts/"])

# The builds use the same folders, so they run in turn. Those after the packages of the library change nothing that its suites use.
building = in_turn(
    Step("Restore", ["dotnet", "restore", "Reloaded.Messaging.sln"]),
    Step("Build", ["dotnet", "build", "Reloaded.Messaging.sln", "-c", "Release", "--no-restore"]),
    Step("Pack", shell("dotnet pack Reloaded.Messaging.sln -c Release --no-build; .ci/native-code Reloaded.Messaging.Tests")),
    *unless_house(
        Step("RabbitMQ, build and pack", [".ci/neighbour", RABBITMQ, "build"]),  # the tests of the packages also read these
        Step("Mod loaders, build and pack", [".ci/neighbour", MOD_LOADERS, "build"]),
        Step("Clients, build", [".ci/neighbour", CLIENTS, "build"]),
        *before_release(Step("Types beside other libraries, build", ["dotnet", "build", "-c", "Release", "Reloaded.Messaging.Benchmarks.Shapes"])),
        Step("Package for Unity", program(f"{MOD_LOADERS}/Source/Reloaded.Messaging.Unity"))))
programs = Step("Programs", [".ci/programs", *(["house"] if HOUSE else LAST)], [formatting.name], show=3, places=0)
PACKED.extend(["Pack", programs.name])
BUILT.extend([building[-1].name, programs.name])

# The suites, for each build of the library that ships: net10.0, net8.0 on the runtime of .NET 8, and netstandard2.1, which net9.0 stands for.
# The build for net8.0 has nearly the code of the build for net10.0, so a run of the house alone leaves it out.
# Each test that needs a hidden program is skipped, and says what to install; only these tests then run with the programs.
# Tests that a later step runs with more input (Hostile, SharedMemoryCrashTests, A_peer_that_scribbles) are left out.
suites_with_programs = [*map(suite, [
    "Packages.Tests net10.0",
    "Packages.Tests net9.0"]),
    *unless_house(suite("Packages.Tests net8.0"), neighbour("Tests of RabbitMQ", RABBITMQ, 5), neighbour("Tests of clients", CLIENTS, 3))]
other_suites = [*map(suite, [  # the longest first
    "Generators.Tests net10.0",
    "Hosting.Tests net10.0 -method- *.SharedMemoryCrashTests.* -method- *.A_peer_that_scribbles*",
    "Tool.Tests net10.0",
    "Tests net10.0 -method- *Hostile*",
    "Tests net9.0",
    "Hosting.Tests net9.0",
    "Transports.Tests net10.0",
    "Transports.Tests net9.0"]),
    *unless_house(
        suite("Tests net8.0"),
        suite("Hosting.Tests net8.0"),
        suite("Transports.Tests net8.0"),
        # The README's test command, for a part of one suite, and for the framework that it has outside of CI.
        Step("Tests by the README's command", ["dotnet", "test", "-c", "Release", "--no-build", "-f", "net10.0", f"{TESTS}/Reloaded.Messaging.Packages.Tests", "--filter", "FullyQualifiedName~Compression"], BUILT, dotnet_test),
        neighbour("Tests of mod loaders", MOD_LOADERS, 5))]
with_programs = in_turn(
    Step("Tests that were skipped, with all programs", [".ci/suites", "2", str(results_with_programs)], [*names(suites_with_programs), *([] if HOUSE else ["Folder for RabbitMQ 4"])], closing_line, 20, input=skipped_tests, environment=longest_cases, again=suites_again(with_programs=True)),
    *unless_house(Step("RabbitMQ 4", ["xargs", f"{RABBITMQ}/.ci/rabbitmq4"], ["Folder for RabbitMQ 4"], closing_line, 1, input=tests_of_brokers,
        again=["xargs", f"{RABBITMQ}/.ci/rabbitmq4"])))

# The contents of the packages, and the programs of their READMEs in new projects.
packages = in_turn(
    Step("Packages", PYTHON_TESTS, BUILT, unittest, folder=".ci/packages", environment=lambda: {"RELOADED_MESSAGING_HOUSE": "1"} if HOUSE else {}),
    *unless_house(Step("Templates for mods", PYTHON_TESTS, BUILT, unittest, folder=f"{MOD_LOADERS}/Tests/Templates")))

# Known vulnerabilities fail, if the source of packages has them. Newer versions are named before a release.
dependencies = unless_house(
    Step("Vulnerable packages", [".ci/outdated", *([] if ALL else ["vulnerable"]), "Reloaded.Messaging.sln", f"{CLIENTS}/Clients.slnx", f"{MOD_LOADERS}/ModLoaders.slnx", f"{RABBITMQ}/RabbitMQ.slnx"], BUILT, show=60))

# The README's first command, and what restores or builds the same projects for other systems: first what the longest steps wait for.
systems = in_turn(
    Step("Example", ["dotnet", "run", "-c", "Release", "--project", "Examples/ModLoader"], BUILT, show=33),
    *unless_house(
        Step("Mono, prepare", [".ci/mono", "prepare"], reads=closing_line),
        Step("Wine, prepare", [".ci/wine/run", "build", *LAST], reads=closing_line)),
    # Compiled ahead of time, which also trims: no warnings, and the expected results.
    Step("Native AOT", [".ci/native-aot/run"], show=5))

# Windows programs, in a folder with Debian 13.
wine = unless_house(Step("Wine", [".ci/wine/run", "test", *LAST], ["Wine, prepare"], closing_line, 20, environment=short_cases))

# The table of types that can be sent, and at least 250 of them work.
types = before_release(Step("Types beside other libraries", [*program("Reloaded.Messaging.Benchmarks.Shapes"), "check", "all"], BUILT, show=1))

examples = in_turn(
    # The package of the core, with its generator, its analyzers and its targets.
    Step("From the package", shell("rm -rf artifacts/from-package; dotnet run -c Release --project .ci/from-package"), BUILT),
    Step("Schema, by the package's target", shell("""cp .ci/from-package/contracts.schema.json artifacts/schema.json; rm .ci/from-package/contracts.schema.json
        dotnet build -c Release --no-restore --no-incremental -p:WriteMessageSchema=true .ci/from-package; cmp artifacts/schema.json .ci/from-package/contracts.schema.json""")),
    Step("With an older compiler", shell("dotnet build -c Release --no-restore --no-incremental -p:CompilerApiVersion=roslyn4.2 .ci/from-package | grep 'warning RM0001'")),
    # The other examples, as they were built.
    example("Echo", 10, "Echo"),
    example("File transfer", 7, "FileTransfer"),
    example("Game console", 24, "GameConsole"),
    example("Game server", 9, "GameServer"),
    example("Game server over UDP and a bad path", 13, "GameServer", "udp", "--loss", "5", "--delay", "80"),
    example("Game server over LiteNetLib", 9, "GameServer", "litenet"),
    example("Worker", 17, "Worker"),
    *unless_house(
        Step("Fleet", program(f"{RABBITMQ}/Examples/Fleet"), show=14),
        Step("Dashboard", [*program(f"{CLIENTS}/Dashboard"), "--seconds", "2"], show=3)))

# The netstandard2.1 build on Mono, as in games on Unity. Then games for other kinds of processors, by emulation.
mono = in_turn(*unless_house(
    Step("Mono", [".ci/mono", "run"], ["Mono, prepare"], closing_line, 12, environment=short_cases),
    Step("Other processors", [".ci/processors", *LAST], reads=closing_line, show=3, again=[".ci/processors", *LAST])))

# Native processes are killed amid messages, and a hostile process writes to its maps. Every order of the steps of shared memory is tried, for small rings.
more = unless_house(
    more_input("Kills and hostile writes", f"Hosting.Tests net10.0 {'-method *.PluginLifeTests.*' if ALL else ''} -method *.SharedMemoryCrashTests.* -method *.A_peer_that_scribbles*", ["Native AOT"]),
    more_input("Hostile inputs", "Tests net10.0 -method *Hostile*"),
    Step("Models of shared memory", [f"{TESTS}/Reloaded.Messaging.Transports.Tests/SharedMemory/Model/check"], BUILT, show=3, environment=more_extent),
    Step("Model of the key exchange", [f"{TESTS}/Reloaded.Messaging.Transports.Tests/Security/Model/check"], BUILT, show=11))

# Worlds that no run had before. A failure prints the seed, the law and the last events.
worlds = [
    Step("Fresh simulated worlds", [*program(f"{TESTS}/Reloaded.Messaging.Simulation"), "fresh", "40" if ALL else "20"], BUILT, closing_line, 2),
    *unless_house(Step("Fresh simulated worlds of the broker", [*program(f"{RABBITMQ}/Tests/Reloaded.Messaging.Hosting.RabbitMQ.Simulation"), "fresh", "30" if ALL else "15"], BUILT, closing_line, 2))]

# The suites in the languages of the clients read docs/vectors, and connect to processes that were built above.
clients = unless_house(
    Step("Python client", PYTHON_TESTS, BUILT, unittest, folder=f"{CLIENTS}/python", environment=longest_cases),
    Step("JavaScript client", ["npm", "test", "--prefix", f"{CLIENTS}/javascript"], BUILT, node_test, environment=longest_cases, missing=node_is_missing),
    Step("C client, with hostile bytes", [f"{CLIENTS}/c/test/fuzz", "10"], BUILT, show=1))

# The documentation site, from the documents and the assemblies, with its links; the picture of its first page; and the site and the dashboard in a browser.
by_node = ["node", "--test", "--test-reporter=tap"]
site = in_turn(*unless_house(
    Step("Site", ["dotnet", "run", "site/build.cs"], BUILT, show=1),
    Step("Picture of the example", ["dotnet", "run", "site/picture.cs", "--", "check"]),
    Step("Search of the site", [*by_node, "site/test/search.test.mjs"], reads=node_test, missing=node_is_missing),
    Step("Site in a browser", [*by_node, "site/test/browser.test.mjs"], reads=node_test, missing=browser_is_missing, environment=more_extent),
    Step("Tests of the dashboard", [*by_node, f"{CLIENTS}/Dashboard/test/dashboard.test.js"], reads=node_test, missing=browser_is_missing),
    Step("Tests of the dashboard without a browser", [*by_node, f"{CLIENTS}/Dashboard/test/game.test.js"], reads=node_test, missing=node_is_missing)))

benchmarks = unless_house(Step("Benchmarks, dry", [*program("Reloaded.Messaging.Benchmarks"), "--filter", "*", "--job", "Dry", "--inProcess"], BUILT))

# These steps run alone, because they measure allocations: a slow reader makes buffers grow. An allocation that is larger than its target fails.
# Times are not compared, because they depend on the machine.
as_for_users = {"DOTNET_TieredPGO": None, "DOTNET_GCgen0size": None}
figures = [
    *unless_house(
        Step("Allocations on Mono", [".ci/mono", "figures"], reads=closing_line, show=12, alone=True),
        Step("Allocations over RabbitMQ", ["dotnet", f"{RABBITMQ}/Benchmarks/bin/Release/net10.0/Reloaded.Messaging.RabbitMQ.Benchmarks.dll", "figures", "allocations"], show=20, alone=True, environment=lambda: as_for_users)),
    Step("Allocations", [*program("Reloaded.Messaging.Benchmarks"), "figures", "allocations"], show=400, alone=True, environment=lambda: as_for_users)]

steps = [
    *unless_house(
        Step("Folder for RabbitMQ 4", [f"{RABBITMQ}/.ci/rabbitmq4", "prepare"], places=0),
        Step("The runtime of .NET 8", ["true"], missing=lambda: net8_is_missing)),
    *building, formatting, programs,
    Step("Tests of this program", PYTHON_TESTS, [], unittest, folder=".ci/verify"),
    *systems, *wine, *mono, *suites_with_programs, *with_programs, *other_suites, *examples, *packages, *dependencies, *types, *clients, *site, *more, *worlds, *benchmarks,
    Step("What skipped tests say", [".ci/skipped-tests", str(results)], names([*suites_with_programs, *other_suites]), show=40),
    *figures,
    Step("What tests say that are still skipped", [".ci/skipped-tests", str(results_with_programs)], show=40, alone=True)]

signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)
try:
    sys.exit(0 if Verification(steps, places=5).run() else 1)
finally:
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run(["dotnet", "build-server", "shutdown", "--vbcscompiler"], check=False, stdout=subprocess.DEVNULL)
