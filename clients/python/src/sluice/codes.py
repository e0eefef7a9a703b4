"""The codes of errors. They are stable, and new ones may come."""

# Generated from the service's schemas by `npm run docs`; a test fails if it is out of date.

from enum import IntEnum

__all__ = ["ErrorCode"]


class ErrorCode(IntEnum):
    """What a refusal says in `code`."""

    VALIDATION_FAILED = 40000
    """The request is not valid."""
    MALFORMED_JSON = 40001
    """The body is not valid JSON."""
    UNKNOWN_SCOPE = 40002
    """A requested scope does not exist; `errors` lists the existing ones."""
    MALFORMED_HTTP = 40003
    """The request is not valid HTTP."""
    CREDENTIAL_MISSING = 40101
    """A credential is required."""
    CREDENTIAL_INVALID = 40102
    """The credential is not valid."""
    CREDENTIAL_EXPIRED = 40103
    """The credential has expired."""
    CREDENTIAL_REVOKED = 40104
    """The credential was revoked."""
    CREDENTIAL_WRONG_KIND = 40105
    """This is the wrong kind of credential."""
    INSUFFICIENT_SCOPE = 40301
    """The credential lacks the scope."""
    OTHER_ORGANIZATION = 40302
    """The API key does not belong to the requested organization; request a token for its own."""
    NO_SUCH_RECORD = 40401
    """There is no such record."""
    NO_SUCH_DELETION = 40402
    """There is no such deletion request; use the id from the reply to the deletion."""
    NO_SUCH_OPERATION = 40403
    """There is no such operation."""
    NO_SUCH_RECIPIENT = 40404
    """There is no recipient with this name; GET /v2/recipient lists the existing ones."""
    NO_SUCH_WEBHOOK_ENDPOINT = 40405
    """There is no such endpoint of webhooks; GET /v2/webhook_endpoint lists the existing ones."""
    METHOD_NOT_ALLOWED = 40501
    """The method is not allowed here."""
    REQUEST_TIMEOUT = 40801
    """The request did not arrive in time; send it again."""
    IDENTICAL_RECORD_EXISTS = 40901
    """An identical record exists already."""
    RECORD_EXISTS = 40902
    """A different record with this id exists already."""
    DELETION_OPEN = 40903
    """A deletion of this record is open."""
    IDEMPOTENCY_IN_FLIGHT = 40904
    """A request with the same Idempotency-Key is still in flight; send this one again soon."""
    RECIPIENT_EXISTS = 40905
    """A recipient with this name has other types. Remove it first, or choose another name."""
    TOO_MANY_RECIPIENTS = 40906
    """The organization has 32 recipients, which is the maximum; remove one first."""
    TOO_MANY_WEBHOOK_ENDPOINTS = 40907
    """The organization has 10 endpoints of webhooks, which is the maximum; remove one first."""
    OFFSET_GONE = 41001
    """
    The feed no longer has this offset, because the store was replaced by an older one. Begin again
    at -1, or at now.
    """
    TOO_LARGE = 41301
    """The request is too large."""
    CONTENT_TYPE = 41501
    """The content type is not supported."""
    IDEMPOTENCY_REUSED = 42201
    """The Idempotency-Key was used for another request already; use a new one for this."""
    RATE_LIMITED = 42901
    """Too many requests."""
    HEADERS_TOO_LARGE = 43101
    """The request's headers are too large; send fewer or shorter ones."""
    INTERNAL = 50001
    """An internal error occurred; the log of the service has it under the request id."""
    UNAVAILABLE = 50301
    """The service is not ready or is shutting down; try again."""
