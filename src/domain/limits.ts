// The bounds that the contract promises, or that several layers share; the unit comes last in a name. A bound with a
// single user is a constant beside it. docs/reference/limits.md is generated from those that a client can meet.

export const limits = {
  // records (contract, section 3)
  idCharactersMax: 256,
  textCharactersMax: 1_024,
  /** Applies to a report's narrative and to the value of an additional property. */
  longTextCharactersMax: 32 * 1_024,
  fractionDigitsMax: 64,
  reasonCharactersMax: 1_024,
  listItemsMax: 1_000,
  recordBytesMax: 64 * 1_024,
  /** How far in the future a timestamp may be: a year, for payments dated ahead, and a little for clocks. */
  timestampAheadDaysMax: 366,
  /** The largest integer that a double and every neighbour of it represent exactly. */
  amountMagnitudeMax: Number.MAX_SAFE_INTEGER,
  /** Every double can be written without an exponent in 345 characters; longer text is not read as a number. */
  numberCharactersMax: 400,

  // requests (contract, sections 5 and 6)
  batchItemsMax: 10_000,
  /** Items of a list and the records that they relate to. */
  listRowsMax: 50_000,
  bodyBytesMax: 16 * 1_024 * 1_024,
  /** The largest window of a zstd body, as a power of two: 8 MiB, which RFC 8878 recommends (section 3.1.1.1.2). */
  zstdWindowLogMax: 23,
  headerBytesMax: 16 * 1_024,
  headersMax: 200,
  jsonDepthMax: 16,
  /** The depth of a field that accepts any JSON value, so that a list of such records is within jsonDepthMax. */
  jsonFieldDepthMax: 14,
  fieldErrorsMax: 100,
  requestIdCharactersMax: 128,
  idempotencyKeyCharactersMax: 255,
  idempotencyKeptMs: 24 * 60 * 60 * 1_000,

  // work in progress: first for one organization, then for all; a request beyond these waits, and is then refused
  organizationRequestsMax: 2_048,
  organizationBodyBytesMax: 48 * 1_024 * 1_024,
  organizationStreamsMax: 8,
  heldBodyBytesMax: 128 * 1_024 * 1_024,
  streamsMax: 64,
  bodyReservationWaitMsMax: 10_000,
  // the cost of a request that one token of the rate limit covers; the largest of the three counts
  itemsPerToken: 100,
  bytesPerToken: 32 * 1_024,
  processorMsPerToken: 1,

  /** The most that a page of a reply has before its last item. */
  pageBytesMax: 1_024 * 1_024,

  // load shedding
  pressureDelayMsMax: 250,
  pressureDelaySustainedMs: 2_000,
  /** Resident memory of an idle process, and how much more it may retain from earlier work. */
  residentBytesUsual: 224 * 1_024 * 1_024,
  retainedBytesMax: 224 * 1_024 * 1_024,
  /** Resident memory, without what is retained, above which the largest bodies, or all large ones, are refused. */
  residentBytesHigh: 384 * 1_024 * 1_024,
  residentBytesCritical: 448 * 1_024 * 1_024,
  /** From which size on a body counts as large, and as one of the largest. */
  shedBodyBytesMin: 256 * 1_024,
  largestBodyBytesMin: 1_024 * 1_024,

  // streams (application/x-ndjson)
  streamLineBytesMax: 64 * 1_024,
  /** Decoded bytes for each byte received. */
  streamRatioMax: 200,
  /** Invalid lines after which a stream is ended. */
  streamInvalidLinesMax: 10_000,

  // connections
  headersTimeoutMs: 15_000,
  bodyTimeoutMs: 60_000,
  idleSocketTimeoutMs: 75_000,
  /** A lingering close: its duration, and how many bytes it reads. */
  lingerMs: 5_000,
  lingerBytesMax: 32 * 1_024 * 1_024,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 2_000,
  /** Established by the system before the process accepts them; more are ignored until their clients try again. */
  connectionsWaitingMax: 4_096,
  /** Bytes received after a request that waits for its turn, and replies not read yet, over all connections. */
  unparsedBytesMax: 64 * 1_024 * 1_024,
  queuedReplyBytesMax: 64 * 1_024 * 1_024,

  /** A chunked body of more chunks than this, or more empty lines, must not have fewer bytes for each, on average. */
  chunksMin: 1_000,
  chunkBytesMeanMin: 64,

  // access (interface document: 300 to 86400 seconds)
  tokenSecondsMin: 300,
  tokenSecondsMax: 86_400,
  scopesMax: 64,
  organizationIdCharactersMax: 64,
  nameCharactersMax: 200,
  /** Requests per second that can be set for an organization. */
  rateLimitMax: 10_000_000,
  tokenRequestsPerMinute: 60,
  failedAuthenticationsPerMinute: 20,
  signInAttemptsPerMinute: 20,
  unauthenticatedRequestsPerSecond: 100,
  unauthenticatedRequestsBurst: 200,

  // deletion, holds and retention
  cascadeRecordsMax: 1_000_000,
  holdsOfRecordMax: 100,
  retainDaysMax: 36_500,

  // shared by actions and both engines: writing
  /** How many rows one transaction of the group commit has. */
  groupRowsMax: 2_000,
  /** How many writes wait for it; further ones are refused. */
  queuedWritesMax: 65_536,
  // erasing
  /** How many deletions take their steps together, and how many of these one transaction claims and plans. */
  deletionsAtOnceMax: 512,
  deletionsClaimedAtOnceMax: 256,
  erasureStepRecordsMax: 256,
  /** How much of the changes of records that stay one step reads and rewrites, however many changes a record has. */
  rewrittenChangesMax: 500,
  rewrittenBytesMax: 2 * 1_024 * 1_024,
  /** How many rows of a table one step of the erasure of an organization removes while others write, and otherwise. */
  organizationStepRowsMax: 1_000,
  organizationStepRowsAloneMax: 4_000,
  /** How many records one step reads to find the end of floors, and for how many of them the history. */
  floorScanRowsMax: 5_000,
  floorScanHistoriesMax: 200,
  /** After this time another worker may claim a deletion whose worker has stopped. */
  deletionLeaseMs: 60_000,
  /** The end of the hold wakes it at once; this is for what that misses. */
  heldDeletionRetryMs: 30_000,
  /** For a deletion that waits for another one. */
  waitingDeletionRetryMs: 5_000,
  /** The longest wait; usually the next attempt is sooner, when the retention floor ends or a rule changes. */
  flooredDeletionRetryMs: 7 * 24 * 60 * 60 * 1_000,
  /** How many transactions of one claim may find only deletions that have to wait. */
  fruitlessChecksMax: 100,
  // reading the ledger, the audit trail, receipts and holds page by page
  ledgerEntriesAtOnce: 1_000,
  holdsListedAtOnce: 1_000,
  // purging: an expired token is stored for a while so that it can be distinguished from an unknown one
  expiredTokensKeptMs: 24 * 60 * 60 * 1_000,
  purgedRowsMax: 1_000,
} as const;

/** One error more than a reply lists, so that the reply can say that there are more. */
export const errorsMax = limits.fieldErrorsMax + 1;
