"""Runs steps, some at once, and adds up the tests that they count."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass
class Result:
    """What a step did. A step that could not run on this machine, or that another step left nothing to do, counts nothing."""

    passed: int = 0
    failed: int = 0
    output: str = ""
    seconds: float = 0  # of processor time
    not_run: str = ""  # the reason


# Reads the passed and the failed tests of a step from its output and its exit code.
Reader = Callable[[str, int], tuple[int, int]]


def no_tests(output: str, status: int) -> tuple[int, int]:
    return 0, int(status != 0)


def at_least_one(passed: int, failed: int, status: int) -> tuple[int, int]:
    """Counts a run that failed without a failed test, or that ran no test, as one failure."""
    return passed, failed or int(status != 0 or passed == 0)


def closing_line(output: str, status: int) -> tuple[int, int]:
    """Reads the last "N passed, N failed" of a script. It may count none, where it says that it could not run."""
    lines = re.findall(r"^(\d+) passed, (\d+) failed", output, re.MULTILINE)
    passed, failed = map(int, lines[-1]) if lines else (0, 1)
    return passed, failed or int(status != 0)


def dotnet_test(output: str, status: int) -> tuple[int, int]:
    counts = re.findall(r"^(?:Passed|Failed)! +- Failed: +(\d+), Passed: +(\d+),", output, re.MULTILINE)
    return at_least_one(sum(int(count[1]) for count in counts), sum(int(count[0]) for count in counts), status)


def node_test(output: str, status: int) -> tuple[int, int]:
    passed, failed = (sum(map(int, re.findall(rf"^# {kind} (\d+)$", output, re.MULTILINE))) for kind in ("pass", "fail"))
    return at_least_one(passed, failed, status)


def unittest(output: str, status: int) -> tuple[int, int]:
    ran = re.findall(r"^Ran (\d+) tests? ", output, re.MULTILINE)
    failed = len(re.findall(r"^(?:FAIL|ERROR): ", output, re.MULTILINE))
    return at_least_one(int(ran[-1]) - failed if ran else 0, failed, status)


def failed_tests(step: Step, output: str) -> list[str]:
    """Names the failed tests of a step whose runner can be read."""
    lines = {node_test: r"^not ok \d+ - (.+)", unittest: r"^(?:FAIL|ERROR): (.+)"}.get(step.reads)
    return re.findall(lines, output, re.MULTILINE) if lines else []


@dataclass
class Step:
    name: str
    command: Sequence[str]
    after: Sequence[str] = ()  # the steps that end first, by name
    reads: Reader = no_tests
    show: int = 0  # the number of last lines to print when it passes
    places: int = 1  # that it takes: 0 for a step that only waits for the network
    alone: bool = False  # it measures: it runs after all steps before it in the list, and nothing runs beside it
    folder: str = "."
    environment: Callable[[], Mapping[str, str | None]] = dict  # variables to set, and to remove (None)
    input: Callable[[], str | None] = lambda: ""  # None: there is nothing to do
    missing: Callable[[], str] = lambda: ""  # why it cannot run on this machine
    again: Sequence[str] = ()  # runs failed tests once more. Its input are the texts of the lines "Again (N): TEXT" of the output, of which each stands for N failures.
    timeout: float = 1800  # seconds; steps that run at once may take four times as long as alone


running: dict[int, str] = {}  # the steps, by the process of each


def kill(process: int) -> None:
    """Kills the process of a step, and those that it started."""
    os.killpg(process, signal.SIGKILL)


def run(step: Step) -> Result:
    """Runs one step. If it takes too long, it is killed, and has failed."""
    reason = step.missing()
    if reason:
        return Result(not_run=reason)
    lines = step.input()
    if lines is None:
        return Result()
    environment = {name: value for name, value in {**os.environ, **step.environment()}.items() if value is not None}
    with tempfile.TemporaryFile() as log, tempfile.TemporaryFile() as given:
        given.write(lines.encode())
        given.seek(0)
        try:
            process = subprocess.Popen(step.command, cwd=step.folder, stdin=given, stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        except OSError as error:
            return Result(failed=1, output=str(error))
        timer = threading.Timer(step.timeout, kill, [process.pid])
        running[process.pid] = step.name
        timer.start()
        _, wait_status, usage = os.wait4(process.pid, 0)  # with the processes that it waited for
        timer.cancel()
        del running[process.pid]
        process.returncode = os.waitstatus_to_exitcode(wait_status)
        log.seek(0)
        output = log.read().decode(errors="replace")
    if process.returncode == -signal.SIGKILL:
        output += f"\nIt was killed, after at most {step.timeout:g} s.\n"
    passed, failed = step.reads(output, process.returncode)
    return Result(passed, failed, output, usage.ru_utime + usage.ru_stime)


class Verification:
    """Runs steps in the order of a list, each after the steps that it names, and as many at once as there are places."""

    def __init__(self, steps: Sequence[Step], places: int, write: Callable[[str], None] = lambda text: print(text, flush=True)) -> None:
        names = {step.name for step in steps}
        if len(names) < len(steps):
            raise ValueError("Two steps have one name.")
        if unknown := [f"{step.name} after {name}" for step in steps for name in step.after if name not in names]:
            raise ValueError(f"There are no such steps: {', '.join(unknown)}.")
        self.steps, self.places, self.write = steps, places, write
        self.results: dict[str, Result] = {}
        self.begun = time.monotonic()

    def run(self) -> bool:
        waiting, started, changed = list(self.steps), [], threading.Condition()

        def work(step: Step) -> None:
            result = run(step)
            with changed:
                self.results[step.name] = result
                started.remove(step)
                self.print(step, result)
                changed.notify()

        with changed:
            while waiting or started:
                for step in list(waiting):
                    if not self.may_start(step, started):
                        continue
                    waiting.remove(step)
                    started.append(step)
                    threading.Thread(target=work, args=[step], daemon=True).start()
                if not started:
                    raise ValueError(f"Steps wait for one another: {', '.join(step.name for step in waiting)}.")
                changed.wait()
        for step in self.steps:
            self.run_again(step)
        return self.report()

    def run_again(self, step: Step) -> None:
        """Runs the failed tests of a step once more, with nothing beside them: all tests of the step where its output has no lines "Again (N): TEXT"."""
        first = self.results[step.name]
        named = re.findall(r"^Again \((\d+)\): (.+)", first.output, re.MULTILINE) if step.again else [("1", test) for test in failed_tests(step, first.output)]
        if not first.failed or not named:
            return
        second = run(replace(step, command=step.again, input=lambda: "\n".join(text for _, text in named)) if step.again else step)
        passed = max(0, sum(int(count) for count, _ in named) - second.failed)
        output = first.output + second.output + ("" if second.failed else "".join(f"Passed in a second run: {text} ({step.name})\n" for _, text in named))
        self.results[step.name] = Result(first.passed + passed, first.failed - passed, output, first.seconds + second.seconds)
        self.write(f"== {step.name}, once more, after {time.monotonic() - self.begun:.0f} s\n{last(second.output, 60)}")

    def may_start(self, step: Step, started: Sequence[Step]) -> bool:
        earlier = [other.name for other in self.steps[:self.steps.index(step)]] if step.alone else step.after
        if any(name not in self.results for name in earlier) or any(other.alone for other in started):
            return False
        taken = sum(other.places for other in started)
        return not started if step.alone else taken == 0 or step.places == 0 or taken + step.places <= self.places

    def print(self, step: Step, result: Result) -> None:
        text = f"== {step.name}, after {time.monotonic() - self.begun:.0f} s"
        if result.not_run:
            text = f"== {step.name}: not run, since {result.not_run}"
        elif result.failed:
            text += "\n" + last(result.output, 400 if failures(result.output) else 60)
        elif step.show:
            text += "\n" + last(result.output, step.show)
        self.write(text)

    def report(self) -> bool:
        """Prints what took long, what failed, what passed only in a second run, what could not run, and the counts."""
        results = self.results
        self.write("== The steps with the most processor time, in seconds")
        for name in sorted(results, key=lambda name: -results[name].seconds)[:30]:
            self.write(f"{results[name].seconds:.0f} {name}")
        failed = {name: result for name, result in results.items() if result.failed}
        if failed:
            self.write("== Failed")
            for name, result in failed.items():
                self.write("\n".join([f"{name}: {result.failed} failed", *failures(result.output)[:60]]))
        flaky = sorted({test for result in results.values() for test in re.findall(r"^Passed in a second run: (.*)", result.output, re.MULTILINE)})
        if flaky:
            self.write("== Passed only in a second run")
            for result in results.values():
                if "Passed in a second run: " in result.output:
                    self.write("\n".join(failures(result.output)[:60]))
            self.write(f"flaky: {', '.join(flaky)}")
        not_run = sorted({name for name, result in results.items() if result.not_run}
                         | {name for result in results.values() for name in re.findall(r"^(?:== )?([^:\n]+): not run, since ", result.output, re.MULTILINE)})
        if not_run:
            self.write(f"not run: {', '.join(not_run)}")
        failures_in_all = sum(result.failed for result in results.values()) + (len(not_run) if os.environ.get("RELOADED_MESSAGING_REQUIRE_ALL") == "1" else 0)
        self.write(f"{sum(result.passed for result in results.values())} passed, {failures_in_all} failed")
        return failures_in_all == 0


def last(text: str, count: int) -> str:
    return "\n".join(text.rstrip("\n").split("\n")[-count:])


def failures(output: str) -> list[str]:
    """Returns the lines that name a failed test, each with six lines of its text."""
    lines, chosen = output.split("\n"), []
    until = 0
    for index, line in enumerate(lines):
        if re.search(r"\[FAIL\]|^FAILED|^ +Failed [A-Za-z]|^not ok|^(FAIL|ERROR): ", line):
            until = index + 7
        if index < until:
            chosen.append(line)
    return chosen


def stop(signal_number: int, _: object) -> None:
    """Ends all steps and this program, by a signal."""
    for process in list(running):
        kill(process)
    os._exit(128 + signal_number)
