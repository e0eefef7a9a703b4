"""
Records from a source of any length, sent list by list, each under its own Idempotency-Key. So memory is
bounded, any failure can be retried, and no record is written twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Generic, Iterable, Iterator, Sequence, TypeVar

from ._errors import SluiceError
from ._json import to_json
from ._options import wrong
from .codes import ErrorCode
from .types import ErrorItem, WriteResult

Item = TypeVar("Item")

# The maximum of a list, or a thousand bytes a record if that is more: many proxies limit bodies to a megabyte.
_BYTES_MIN = 1_000_000
# Far below the limit of the service.
_BYTES_MAX = 8_000_000
# Refusals of a list that one of its records causes: invalid, or too large, also for a proxy (413).
CAUSED_BY_RECORD = frozenset(
    (ErrorCode.VALIDATION_FAILED, ErrorCode.MALFORMED_JSON, ErrorCode.TOO_LARGE, 413)
)


@dataclass(frozen=True)
class Refusal(Generic[Item]):
    """A record that was not written, with the reason. Other records are not affected."""

    index: int
    """The position in the source, from 0."""
    record: Item = field(repr=False)
    """The record as the source returned it."""
    code: int
    """One of `ErrorCode`."""
    message: str
    errors: Sequence[ErrorItem]


@dataclass
class Tally:
    """The counts of the records for which the service has answered so far."""

    received: int = 0
    written: int = 0
    """Changes that are on stable storage."""
    unchanged: int = 0
    """Identical records that existed already."""
    refused: int = 0

    def add(self, received: int, written: int, refused: int) -> None:
        self.received += received
        self.written += written
        self.refused += refused
        # What is neither written nor refused was unchanged.
        self.unchanged += received - written - refused


@dataclass(frozen=True)
class _Entry(Generic[Item]):
    index: int
    record: Item
    text: bytes | None
    """The record as JSON; None where it can't be sent."""
    reason: str


class Upload(Generic[Item]):
    """
    Iterate it to send the records; it yields the refusals. After a failure, it is unknown whether records
    from `tally.received` on were written.
    """

    def __init__(
        self, send: Callable[[bytes], WriteResult], source: Iterable[Item], batch_size: int
    ) -> None:
        is_whole = isinstance(batch_size, int) and not isinstance(batch_size, bool)
        if not is_whole or not 1 <= batch_size <= 10_000:
            raise wrong("batch_size", "a whole number from 1 to 10000")
        self.tally = Tally()
        self._send = send
        self._refusals = self._run(source, batch_size)

    def __iter__(self) -> Iterator[Refusal[Item]]:
        return self._refusals

    def _run(self, source: Iterable[Item], batch_size: int) -> Iterator[Refusal[Item]]:
        for batch in _batches(source, batch_size):
            yield from self._settle(batch)

    def _settle(self, batch: Sequence[_Entry[Item]]) -> Sequence[Refusal[Item]]:
        """Refuses records that can't be written as JSON, and sends the others."""
        sendable = [entry for entry in batch if entry.text is not None]
        refusals = self._write(sendable) if sendable else []
        unsendable = [_refused_here(entry) for entry in batch if entry.text is None]
        self.tally.add(len(unsendable), 0, len(unsendable))
        return sorted([*refusals, *unsendable], key=lambda refusal: refusal.index)

    def _write(self, batch: Sequence[_Entry[Item]]) -> list[Refusal[Item]]:
        """Bisects a list that is refused as a whole, and so had no effect, to find the records that cause it."""
        try:
            result = self._send(b"[" + b",".join(entry.text or b"" for entry in batch) + b"]")
        except SluiceError as error:
            if error.code not in CAUSED_BY_RECORD:
                raise
            half = (len(batch) + 1) // 2
            if half < len(batch):
                return [*self._write(batch[:half]), *self._write(batch[half:])]
            self.tally.add(1, 0, 1)
            errors = [_without_index(item) for item in error.errors]
            entry = batch[0]
            return [Refusal(entry.index, entry.record, error.code, str(error), errors)]
        refusals = [
            _refusal_of(batch[each["index"]], each)
            for each in result.get("results", [])
            if each["status"] == "refused"
        ]
        self.tally.add(len(batch), result["write_count"], len(refusals))
        return refusals


def _batches(source: Iterable[Item], batch_size: int) -> Iterator[Sequence[_Entry[Item]]]:
    """Everything that came before the source failed is in a batch of its own, before its error is raised."""
    bytes_max = min(max(batch_size * 1_000, _BYTES_MIN), _BYTES_MAX)
    batch: list[_Entry[Item]] = []
    length = 0
    failure: Exception | None = None
    records = enumerate(source)
    while True:
        try:
            index, record = next(records)
        except StopIteration:
            break
        except Exception as error:
            failure = error
            break
        entry = _entry(index, record)
        size = len(entry.text or b"")
        if batch and length + size > bytes_max:
            yield batch
            batch, length = [], 0
        batch.append(entry)
        length += size
        if len(batch) >= batch_size:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch
    if failure is not None:
        raise failure


def _entry(index: int, record: Item) -> _Entry[Item]:
    try:
        return _Entry(index, record, to_json(record), "")
    except (TypeError, ValueError, RecursionError) as error:
        return _Entry(index, record, None, str(error))


def _refused_here(entry: _Entry[Item]) -> Refusal[Item]:
    return Refusal(entry.index, entry.record, ErrorCode.VALIDATION_FAILED, entry.reason, [])


def _refusal_of(entry: _Entry[Item], result: Any) -> Refusal[Item]:
    code, message = result.get("code", 0), result.get("message", "")
    return Refusal(entry.index, entry.record, code, message, result.get("errors", []))


def _without_index(item: ErrorItem) -> ErrorItem:
    """`[0].amount` in a list of one is `amount`."""
    name = item.get("field")
    if name is None or not name.startswith("[0]"):
        return item
    return {**item, "field": name[3:].removeprefix(".")}
