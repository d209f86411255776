"""Which datagrams are in flight, which ones are lost, and how many may be sent: RFC 9002 with NewReno and a small window."""

from __future__ import annotations

from typing import NamedTuple

from .datagrams import Acknowledgement

MAX_DATAGRAM = 1200
_FIRST_WINDOW, _MIN_WINDOW, _MAX_WINDOW = 10 * MAX_DATAGRAM, 4 * MAX_DATAGRAM, 256 * MAX_DATAGRAM
_GAP = 3  # a datagram is lost when one that is newer by this number is acknowledged
_TICK = 0.001  # seconds; the shortest time that is waited for
_DELAY = 0.02  # seconds; the longest delay of an acknowledgement


class Sent(NamedTuple):
    """A datagram that is to be acknowledged: the data in it, each with its channel and its range, and the channels whose rooms are in it."""

    time: float
    size: int
    data: tuple[tuple[int, int, int], ...] = ()
    rooms: tuple[int, ...] = ()


class Recovery:
    def __init__(self) -> None:
        self.flight: dict[int, Sent] = {}  # by numbers, which rise
        self.probes = 0  # that were sent since the last acknowledgement
        self.window = _FIRST_WINDOW
        self._threshold = _MAX_WINDOW
        self._in_flight = 0
        self._newest = -1  # that was acknowledged
        self._smoothed, self._deviation, self._shortest = 0.1, 0.05, 0.0
        self._last_sent = self._reduced = -1.0
        self._loss_time: float | None = None

    @property
    def has_room(self) -> bool:
        """Whether the window has room for a datagram."""
        return self._in_flight + MAX_DATAGRAM <= self.window

    @property
    def deadline(self) -> float | None:
        """When :meth:`tick` is due; ``None`` while nothing is in flight."""
        if self._loss_time is not None or not self.flight:
            return self._loss_time
        return self._last_sent + (self._smoothed + max(4 * self._deviation, _TICK) + _DELAY) * (1 << self.probes)

    def note(self, number: int, sent: Sent) -> None:
        """Notes a datagram that was sent."""
        self.flight[number] = sent
        self._in_flight += sent.size
        self._last_sent = sent.time

    def acknowledge(self, received: Acknowledgement, now: float) -> tuple[list[Sent], list[Sent]]:
        """Returns the datagrams that are acknowledged now, and those that are lost."""
        acknowledged = [(number, self.flight.pop(number)) for first, last in received.ranges for number in self._between(first, last)]
        if not acknowledged:
            return [], []
        was_full = not self.has_room
        newest, sent = max(acknowledged)
        if newest == received.newest:
            self._measure(now - sent.time, received.delay)
        self._newest = max(self._newest, newest)
        self.probes = 0
        for _, one in acknowledged:
            self._in_flight -= one.size
            if was_full:
                step = one.size if self.window < self._threshold else MAX_DATAGRAM * one.size // self.window
                self.window = min(self.window + step, _MAX_WINDOW)
        return [one for _, one in acknowledged], self._find_lost(now)

    def tick(self, now: float) -> list[Sent] | None:
        """Returns the datagrams that are lost; ``None`` if a probe has to be sent."""
        if self._loss_time is not None:
            return self._find_lost(now)
        self.probes += 1
        return None

    def _between(self, first: int, last: int) -> list[int]:
        if last - first < len(self.flight):
            return [number for number in range(first, last + 1) if number in self.flight]
        return [number for number in self.flight if first <= number <= last]

    def _measure(self, sample: float, delay: float) -> None:
        if not self._shortest:
            self._smoothed, self._deviation, self._shortest = sample, sample / 2, sample
            return
        self._shortest = min(self._shortest, sample)
        if sample >= self._shortest + delay:
            sample -= delay
        self._deviation += (abs(self._smoothed - sample) - self._deviation) / 4
        self._smoothed += (sample - self._smoothed) / 8

    def _find_lost(self, now: float) -> list[Sent]:
        wait = max(self._smoothed * 9 / 8, _TICK)
        lost, self._loss_time = list[Sent](), None
        for number, sent in list(self.flight.items()):
            if number > self._newest:
                break
            if self._newest - number >= _GAP or now >= sent.time + wait:
                lost.append(self.flight.pop(number))
                self._in_flight -= sent.size
            elif self._loss_time is None:
                self._loss_time = sent.time + wait
        if lost and lost[-1].time > self._reduced:  # once for each round trip
            self._reduced = now
            self._threshold = self.window = max(self.window // 2, _MIN_WINDOW)
        return lost
