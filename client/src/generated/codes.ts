// The codes of errors. They are stable, and new ones may come.
// Generated from the service's schemas by `npm run docs`; a test fails if it is out of date.

export const errorCodes = {
  /** The request is not valid. */
  validation_failed: 40000,
  /** The body is not valid JSON. */
  malformed_json: 40001,
  /** A requested scope does not exist; `errors` lists the existing ones. */
  unknown_scope: 40002,
  /** The request is not valid HTTP. */
  malformed_http: 40003,
  /** A credential is required. */
  credential_missing: 40101,
  /** The credential is not valid. */
  credential_invalid: 40102,
  /** The credential has expired. */
  credential_expired: 40103,
  /** The credential was revoked. */
  credential_revoked: 40104,
  /** This is the wrong kind of credential. */
  credential_wrong_kind: 40105,
  /** The credential lacks the scope. */
  insufficient_scope: 40301,
  /** The API key does not belong to the requested organization; request a token for its own. */
  other_organization: 40302,
  /** There is no such record. */
  no_such_record: 40401,
  /** There is no such deletion request; use the id from the reply to the deletion. */
  no_such_deletion: 40402,
  /** There is no such operation. */
  no_such_operation: 40403,
  /** There is no recipient with this name; GET /v2/recipient lists the existing ones. */
  no_such_recipient: 40404,
  /** There is no such endpoint of webhooks; GET /v2/webhook_endpoint lists the existing ones. */
  no_such_webhook_endpoint: 40405,
  /** The method is not allowed here. */
  method_not_allowed: 40501,
  /** The request did not arrive in time; send it again. */
  request_timeout: 40801,
  /** An identical record exists already. */
  identical_record_exists: 40901,
  /** A different record with this id exists already. */
  record_exists: 40902,
  /** A deletion of this record is open. */
  deletion_open: 40903,
  /** A request with the same Idempotency-Key is still in flight; send this one again soon. */
  idempotency_in_flight: 40904,
  /** A recipient with this name has other types. Remove it first, or choose another name. */
  recipient_exists: 40905,
  /** The organization has 32 recipients, which is the maximum; remove one first. */
  too_many_recipients: 40906,
  /** The organization has 10 endpoints of webhooks, which is the maximum; remove one first. */
  too_many_webhook_endpoints: 40907,
  /**
   * The feed no longer has this offset, because the store was replaced by an older one. Begin again
   * at -1, or at now.
   */
  offset_gone: 41001,
  /** The request is too large. */
  too_large: 41301,
  /** The content type is not supported. */
  content_type: 41501,
  /** The Idempotency-Key was used for another request already; use a new one for this. */
  idempotency_reused: 42201,
  /** Too many requests. */
  rate_limited: 42901,
  /** The request's headers are too large; send fewer or shorter ones. */
  headers_too_large: 43101,
  /** An internal error occurred; the log of the service has it under the request id. */
  internal: 50001,
  /** The service is not ready or is shutting down; try again. */
  unavailable: 50301,
} as const;

export type ErrorCode = (typeof errorCodes)[keyof typeof errorCodes];
