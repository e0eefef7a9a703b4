"""
The client of a Sluice service: `Sluice` and, for asyncio, `AsyncSluice` have everything. The types of
records and replies are in `sluice.types`.
"""

from ._async_client import AsyncDeletions, AsyncSluice
from ._async_collection import AsyncCollection, AsyncDeletableCollection, AsyncUpload
from ._cancellation import Cancellation
from ._changes import ChangePage
from ._client import Sluice
from ._collection import Collection, DeletableCollection
from ._deletions import Deletions
from ._errors import (
    SluiceCancelledError,
    SluiceError,
    SluiceNetworkError,
    SluiceTimeoutError,
)
from ._upload import Refusal, Tally, Upload
from ._version import __version__
from ._webhook import WebhookVerificationError, verify_webhook
from .codes import ErrorCode

__all__ = [
    "AsyncCollection",
    "AsyncDeletableCollection",
    "AsyncDeletions",
    "AsyncSluice",
    "AsyncUpload",
    "Cancellation",
    "ChangePage",
    "Collection",
    "DeletableCollection",
    "Deletions",
    "ErrorCode",
    "Refusal",
    "Sluice",
    "SluiceCancelledError",
    "SluiceError",
    "SluiceNetworkError",
    "SluiceTimeoutError",
    "Tally",
    "Upload",
    "WebhookVerificationError",
    "__version__",
    "verify_webhook",
]
