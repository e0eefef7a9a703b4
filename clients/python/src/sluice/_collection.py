"""The records of one type: one method an operation, the same for every type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Iterable, Mapping, Sequence, TypeVar, cast
from urllib.parse import quote

from ._cancellation import Cancellation
from ._connection import Ask, bounds
from ._errors import SluiceError
from ._json import to_json
from ._options import require_text, wrong
from ._session import Session
from ._upload import Upload
from .codes import ErrorCode
from .types import DeletionBasis, WriteResult

Item = TypeVar("Item", bound=Mapping[str, Any])
Update = TypeVar("Update", bound=Mapping[str, Any])
Existence = TypeVar("Existence")
Accepted = TypeVar("Accepted")


@dataclass(frozen=True)
class RecordPaths:
    """The paths of the operations of a type."""

    type: str
    id_field: str
    list_path: str


class Collection(Generic[Item, Update, Existence]):
    """
    Every method accepts `timeout`, in seconds for all attempts and waits together, and `cancel`. Methods
    that write accept `idempotency_key`; without it, each call gets a new key.
    """

    def __init__(self, session: Session, paths: RecordPaths) -> None:
        self._session = session
        self._paths = paths

    def add(
        self,
        records: Item | Sequence[Item],
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        cancel: Cancellation | None = None,
    ) -> WriteResult:
        """Adds a record, or a list of up to 10,000, which is written completely or not at all."""
        ask = self._write("POST", records, idempotency_key, timeout, cancel)
        return cast(WriteResult, self._session.call(ask))

    def update(
        self,
        updates: Update | Sequence[Update],
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        cancel: Cancellation | None = None,
    ) -> WriteResult:
        """Updates an existing record, or a list. None clears a field; others don't change."""
        ask = self._write("PUT", updates, idempotency_key, timeout, cancel)
        return cast(WriteResult, self._session.call(ask))

    def exists(
        self, id: str, *, timeout: float | None = None, cancel: Cancellation | None = None
    ) -> Existence | None:
        """When the record was first and last seen; None if it does not exist."""
        path = f"/v2/{self._paths.type}?{self._paths.id_field}={quote(require_text('id', id), safe='')}"
        try:
            found = self._session.call(Ask("GET", path, bounds=bounds(timeout, cancel)))
        except SluiceError as error:
            if error.code == ErrorCode.NO_SUCH_RECORD:
                return None
            raise
        return cast(Existence, found)

    def add_all(
        self,
        source: Iterable[Item],
        *,
        batch_size: int = 1_000,
        cancel: Cancellation | None = None,
    ) -> Upload[Item]:
        """Adds records from a source of any length. Does nothing until it is iterated, see Upload."""
        return Upload(self._sender("POST", cancel), source, batch_size)

    def update_all(
        self,
        source: Iterable[Update],
        *,
        batch_size: int = 1_000,
        cancel: Cancellation | None = None,
    ) -> Upload[Update]:
        """Updates records from a source of any length. Does nothing until it is iterated, see Upload."""
        return Upload(self._sender("PUT", cancel), source, batch_size)

    def _write(
        self,
        method: str,
        records: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        key: str | None,
        timeout: float | None,
        cancel: Cancellation | None,
    ) -> Ask:
        if not isinstance(records, Iterable) or isinstance(records, (str, bytes)):
            raise wrong("records", "a record, or a list of records")
        is_list = not isinstance(records, Mapping)
        path = self._paths.list_path if is_list else self._paths.type
        body = to_json(list(records) if is_list else records)
        return Ask(method, f"/v2/{path}", body, idempotency_key=key, bounds=bounds(timeout, cancel))

    def _sender(self, method: str, cancel: Cancellation | None) -> Any:
        path = f"/v2/{self._paths.list_path}"

        def send(body: bytes) -> Any:
            ask = Ask(method, path, body, is_lenient=True, bounds=bounds(None, cancel))
            return self._session.call(ask)

        return send


class DeletableCollection(
    Collection[Item, Update, Existence], Generic[Item, Update, Existence, Accepted]
):
    """Records of a type that can be deleted by request."""

    def delete(
        self,
        id: str,
        reason: str,
        *,
        basis: DeletionBasis | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        cancel: Cancellation | None = None,
    ) -> Accepted:
        """
        Requests the permanent deletion of a record and everything that belongs to it; `deletions.wait`
        waits until it is completed. The reason is kept after the record is erased. The request is sent
        as a POST, because proxies may drop the body of a DELETE. The receipt contains a salted hash of
        the basis on which the request rests.
        """
        body = {
            "resource_type": self._paths.type,
            "resource_id": require_text("id", id),
            "reason": require_text("reason", reason),
        }
        if basis is not None:
            body["basis"] = basis
        ask = Ask(
            "POST",
            "/v2/deletion_request",
            to_json(body),
            idempotency_key=idempotency_key,
            bounds=bounds(timeout, cancel),
        )
        return cast(Accepted, self._session.call(ask))
