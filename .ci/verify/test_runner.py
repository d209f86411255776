"""Tests of the program that runs the steps of .ci/run."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from runner import Result, Step, Verification, closing_line, dotnet_test, failures, node_test, run
from runner import unittest as python_test


def verify(*steps: Step, places: int = 2) -> tuple[bool, list[str]]:
    lines: list[str] = []
    passed = Verification(steps, places, lines.append).run()
    return passed, lines


def script(text: str, **more: object) -> Step:
    return Step("step", ["sh", "-c", text], **more)


class RunTests(unittest.TestCase):
    def test_step_passes_or_fails_by_its_exit_code(self) -> None:
        self.assertEqual(0, run(script("true")).failed)
        self.assertEqual(1, run(script("exit 3")).failed)

    def test_program_that_is_missing_is_a_failure_that_names_it(self) -> None:
        result = run(Step("step", ["no-such-program"]))
        self.assertEqual(1, result.failed)
        self.assertIn("no-such-program", result.output)

    def test_step_that_takes_too_long_is_killed_with_what_it_started(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            result = run(script("sleep 60 & echo $! >process; wait", folder=folder, timeout=0.5, reads=closing_line))
            process = int(Path(folder, "process").read_text())
            self.assertEqual(1, result.failed)
            self.assertIn("killed", result.output)
            until = time.monotonic() + 10
            while os.path.exists(f"/proc/{process}/stat") and Path(f"/proc/{process}/stat").read_text().split()[2] != "Z":
                self.assertLess(time.monotonic(), until)

    def test_step_gets_its_input_its_variables_and_its_folder(self) -> None:
        os.environ["REMOVED"] = "value"
        result = run(script('echo "$(cat) $ADDED ${REMOVED-removed} $PWD"', environment=lambda: {"ADDED": "added", "REMOVED": None}, input=lambda: "input", folder="/"))
        self.assertEqual("input added removed /\n", result.output)

    def test_step_without_input_or_with_a_missing_program_does_not_run(self) -> None:
        self.assertEqual(Result(), run(script("exit 1", input=lambda: None)))
        self.assertEqual(Result(not_run="x is missing"), run(script("exit 1", missing=lambda: "x is missing")))


class ReaderTests(unittest.TestCase):
    def test_closing_line_is_the_last_one(self) -> None:
        self.assertEqual((3, 0), closing_line("1 passed, 1 failed\n3 passed, 0 failed, 2 skipped\n", 0))
        self.assertEqual((3, 2), closing_line("3 passed, 2 failed\n", 1))

    def test_run_that_fails_without_a_failed_test_counts_one_failure(self) -> None:
        for reads in (closing_line, dotnet_test, node_test, python_test):
            self.assertEqual(1, reads("", 1)[1])
        self.assertEqual((3, 1), closing_line("3 passed, 0 failed\n", 1))
        self.assertEqual((2, 1), node_test("# pass 2\n# fail 0\n", 1))

    def test_run_without_a_test_counts_one_failure(self) -> None:
        for reads in (closing_line, dotnet_test, node_test, python_test):
            self.assertEqual((0, 1), reads("", 0))

    def test_each_program_closes_in_its_own_way(self) -> None:
        self.assertEqual((39, 2), dotnet_test("Failed! - Failed:     2, Passed:    39, Skipped:     0, Total:    41, Duration: 950 ms - X.dll (net10.0)\n", 1))
        self.assertEqual((7, 1), node_test("# pass 7\n# fail 1\n", 1))
        self.assertEqual((28, 2), python_test("FAIL: test_x\nERROR: test_y\nRan 30 tests in 1.0s\n", 1))


class VerificationTests(unittest.TestCase):
    def test_counts_of_all_steps_are_added_and_a_failure_fails_all(self) -> None:
        a = Step("a", ["echo", "3 passed, 0 failed"], reads=closing_line)
        b = Step("b", ["sh", "-c", "echo '  Name [FAIL]'; echo 4 passed, 1 failed"], reads=closing_line)
        self.assertEqual((True, "3 passed, 0 failed"), (verify(a)[0], verify(a)[1][-1]))
        passed, lines = verify(a, b)
        self.assertEqual((False, "7 passed, 1 failed"), (passed, lines[-1]))
        self.assertIn("b: 1 failed\n  Name [FAIL]\n4 passed, 1 failed\n", lines)

    def test_report_names_what_could_not_run_and_what_passed_in_a_second_run(self) -> None:
        a = Step("a", ["true"], missing=lambda: "x cannot be installed")
        b = Step("b", ["echo", "== Wine: not run, since this user is not root\nPassed in a second run: Some.Test (net10.0)\n1 passed, 0 failed"], reads=closing_line)
        passed, lines = verify(a, b)
        self.assertTrue(passed)
        self.assertEqual(["flaky: Some.Test (net10.0)", "not run: Wine, a", "1 passed, 0 failed"], lines[-3:])

    def test_failed_tests_run_once_more_alone_and_those_that_pass_then_are_flaky(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            first = f"echo a >>{folder}/log; echo '  Name [FAIL]'; echo 'Again (2): X -method Name'; echo 4 passed, 3 failed; exit 1"
            second = f"cat >>{folder}/log; echo %s; exit %d"
            slow = Step("b", ["sh", "-c", f"sleep 0.2; echo b >>{folder}/log"], places=0)
            for result, status, expected in (("3 passed, 0 failed", 0, "6 passed, 1 failed"), ("2 passed, 1 failed", 1, "5 passed, 2 failed"), ("", 1, "5 passed, 2 failed")):
                passed, lines = verify(Step("a", ["sh", "-c", first], reads=closing_line, again=["sh", "-c", second % (result, status)]), slow)
                self.assertEqual((False, expected), (passed, lines[-1]))
                self.assertEqual(status == 0, "flaky: X -method Name (a)" in lines)
            self.assertEqual("a\nb\nX -method Name" * 3, Path(folder, "log").read_text())

            passed, lines = verify(Step("a", ["sh", "-c", first.replace("3 failed", "2 failed")], reads=closing_line, again=["sh", "-c", second % ("2 passed, 0 failed", 0)]))
            self.assertEqual((True, "6 passed, 0 failed"), (passed, lines[-1]))

    def test_step_of_another_language_runs_once_more_as_a_whole(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for reads, report in ((node_test, "not ok 1 - Name_of_test\n# pass 3\n# fail 1"), (python_test, "ERROR: name (a.Name)\nRan 4 tests in 1s")):
                for fails_again in (False, True):
                    marker = Path(folder, f"{reads.__name__}-{fails_again}")
                    good = "# pass 4\n# fail 0\nRan 4 tests in 1s\n"
                    script = f"if [ -e {marker} ]; then {f'echo {report!r}; exit 1' if fails_again else f'printf {good!r}'}; else touch {marker}; printf {report!r}; exit 1; fi"
                    passed, lines = verify(Step("a", ["sh", "-c", script], reads=reads))
                    self.assertEqual((not fails_again, f"{3 if fails_again else 4} passed, {int(fails_again)} failed"), (passed, lines[-1]), script)
                    self.assertEqual(not fails_again, lines[-2].startswith("flaky: ") and lines[-2].endswith(" (a)"), lines)

    def test_steps_that_name_no_step_or_wait_for_one_another_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "a after b"):
            verify(Step("a", ["true"], ["b"]))
        with self.assertRaisesRegex(ValueError, "one name"):
            verify(Step("a", ["true"]), Step("a", ["true"]))
        with self.assertRaisesRegex(ValueError, "a, b"):
            verify(Step("a", ["true"], ["b"]), Step("b", ["true"], ["a"]))

    def test_any_steps_run_once_after_those_that_they_name_and_within_the_places(self) -> None:
        for seed in range(20):
            chance = random.Random(seed)
            places = chance.randint(1, 4)
            steps: list[Step] = []
            with tempfile.TemporaryDirectory() as folder:
                for number in range(chance.randint(1, 12)):
                    after = chance.sample([step.name for step in steps], min(len(steps), chance.randint(0, 3)))
                    text = f"echo begin {number} >>{folder}/log; sleep 0.0{chance.randint(0, 9)}; echo end {number} >>{folder}/log; echo 1 passed, 0 failed"
                    steps.append(Step(str(number), ["sh", "-c", text], after, closing_line, places=chance.randint(0, 3), alone=chance.random() < 0.2))
                passed, lines = verify(*steps, places=places)
                events = Path(folder, "log").read_text().split("\n")[:-1]

            self.assertTrue(passed, seed)
            self.assertEqual(f"{len(steps)} passed, 0 failed", lines[-1])
            running: set[int] = set()
            ended: set[int] = set()
            for event in events:
                verb, number = event.split()[0], int(event.split()[1])
                step = steps[number]
                if verb == "end":
                    running.remove(number)
                    ended.add(number)
                    continue
                self.assertNotIn(number, ended | running, seed)
                earlier = {str(other) for other in range(number)} if step.alone else set(step.after)
                self.assertLessEqual(earlier, {str(other) for other in ended}, seed)
                running.add(number)
                if len(running) > 1:
                    self.assertFalse(any(steps[other].alone for other in running), seed)
                    sizes = [steps[other].places for other in running if steps[other].places > 0]
                    self.assertTrue(len(sizes) == 1 or sum(sizes) <= places, seed)
            self.assertEqual(set(range(len(steps))), ended, seed)


class FailureTests(unittest.TestCase):
    def test_failed_tests_are_named_with_their_text(self) -> None:
        lines = failures("a\n   Some.Test [FAIL]\n" + "\n".join(map(str, range(9))))
        self.assertEqual(["   Some.Test [FAIL]", "0", "1", "2", "3", "4", "5"], lines)
        for line in ("FAILED x", "  Failed Some.Test", "not ok 3 - x", "FAIL: test_x", "ERROR: test_y"):
            self.assertEqual([line], failures(f"a\n{line}"))


class StepListTests(unittest.TestCase):
    def test_each_suite_of_the_library_is_a_step(self) -> None:
        root = Path(__file__).resolve().parents[2]
        text = (Path(__file__).parent / "__main__.py").read_text()
        for project in root.glob("Reloaded.Messaging.Tests/*.Tests/*.csproj"):
            name = project.stem.removeprefix("Reloaded.Messaging.")
            frameworks = re.search(r"<TargetFrameworks?>(.*?)<", project.read_text())
            for framework in (frameworks[1].split(";") if frameworks else []):
                self.assertIn(f'"{name} {framework}', text)

    def test_steps_of_the_house_wait_only_for_one_another_and_name_no_neighbour(self) -> None:
        program = "import runner; runner.run = lambda step: runner.Result(1); exec(open('.ci/verify/__main__.py').read())"
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "dotnet").symlink_to("/bin/true")  # the end of a run stops the compiler
            paths = {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(Path(__file__).parent)}
            ran = subprocess.run([sys.executable, "-c", program, "house"], cwd=Path(__file__).resolve().parents[2], env={**os.environ, **paths}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(0, ran.returncode, ran.stdout)
        self.assertGreater(closing_line(ran.stdout, 0)[0], 30)
        self.assertNotRegex(ran.stdout, r"== .*(RabbitMQ|[Mm]od loaders|client|net8\.0|Wine|Mono|Model|Site|more input)")

    def test_each_defect_for_the_simulated_worlds_still_applies(self) -> None:
        root = Path(__file__).resolve().parents[2]
        defects = [*root.glob("Reloaded.Messaging.Tests/*/Defects/*.patch"), *root.glob("Integrations/*/Tests/*/Defects/*.patch")]
        self.assertGreater(len(defects), 10)
        for defect in defects:
            applied = subprocess.run(["git", "apply", "--check", str(defect)], cwd=root, stderr=subprocess.PIPE, text=True)
            self.assertEqual(0, applied.returncode, f"{defect.name}: {applied.stderr}")

    def test_steps_that_the_page_of_platforms_names_exist(self) -> None:
        root = Path(__file__).resolve().parents[2]
        text = (Path(__file__).parent / "__main__.py").read_text()
        table = (root / "docs" / "internals" / "testing.md").read_text().split("step of `.ci/run` |\n")[1].split("\n\n")[0]
        names = [name for row in table.split("\n")[1:] for name in row.split("|")[-2].strip().removesuffix(", and the other suites").split(", ")]
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertIn(f'"{name}', text)


if __name__ == "__main__":
    unittest.main()
