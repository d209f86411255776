"""Counters of a client."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Statistics:
    """What a client has sent and received over all its connections, and its state at the moment."""

    connections: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    sent_events: int = 0
    received_events: int = 0
    sent_requests: int = 0  # of the program, also for streams
    received_requests: int = 0  # also those for parts of streams and files
    resent_requests: int = 0  # each time that a request was sent again
    faults: int = 0  # requests of this side that were refused
    timeouts: int = 0
    failed_handlers: int = 0
    unhandled_messages: int = 0  # events without a handler
    unreadable_messages: int = 0
    unanswered_requests: int = 0  # at the moment, with the blocks of streams that were requested in advance
    running_handlers: int = 0  # at the moment
    pending_bytes: int = 0  # that wait to be sent at the moment
    round_trip: float | None = None  # of the last ping, in seconds
