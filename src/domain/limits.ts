// Every bound of the service that is not a setting: sizes, counts, depths and times, with the unit last.

export const limits = {
  // records (contract, section 3)
  idCharactersMax: 256,
  textCharactersMax: 1_024,
  reasonCharactersMax: 1_024,
  listItemsMax: 1_000,
  recordBytesMax: 64 * 1_024,
  // numbers: the largest integer that a double and every neighbour of it hold exactly
  amountMagnitudeMax: Number.MAX_SAFE_INTEGER,
  // requests (contract, sections 5 and 6)
  batchItemsMax: 10_000,
  bodyBytesMax: 16 * 1_024 * 1_024,
  headerBytesMax: 16 * 1_024,
  jsonDepthMax: 16,
  fieldErrorsMax: 100,
  requestIdCharactersMax: 128,
  idempotencyKeyCharactersMax: 255,
  idempotencyKeptMs: 24 * 60 * 60 * 1_000,
  // streams (application/x-ndjson)
  streamLineBytesMax: 64 * 1_024,
  streamGroupItemsMax: 500,
  streamGroupBytesMax: 1_024 * 1_024,
  // how long a client that does not read the reply is waited for, and its rest taken in after the stream has failed
  streamReplyPatienceMs: 5_000,
  streamDiscardMs: 30_000,
  // export
  exportPageChanges: 500,
  exportStartMsMax: 30_000,
  // rows that are held for a row group of Parquet, which is written by columns
  parquetGroupRows: 20_000,
  parquetGroupBytes: 8 * 1_024 * 1_024,
  // move: what is copied in one transaction, and what is read back at once
  movePageRows: 5_000,
  movePageBytes: 4 * 1_024 * 1_024,
  moveReadBackRows: 1_000,
  moveOthersGoneMsMax: 10_000,
  // connections
  headersTimeoutMs: 15_000,
  bodyTimeoutMs: 60_000,
  idleSocketTimeoutMs: 75_000,
  handlerTimeoutMs: 60_000,
  // how long the rest of a refused body is taken in, for the client to see the reply
  lingerMs: 5_000,
  // access (interface document: 300 to 86400 seconds)
  tokenSecondsMin: 300,
  tokenSecondsMax: 86_400,
  scopesMax: 64,
  organizationIdCharactersMax: 64,
  nameCharactersMax: 200,
  tokenRequestsPerMinute: 60,
  failedAuthenticationsPerMinute: 20,
  callersCachedMax: 100_000,
  bucketsMax: 100_000,
  credentialsPollMs: 500,
  // rate limits that processes share
  redisConnectMs: 1_000,
  redisRetryMsMin: 500,
  redisRetryMsMax: 30_000,
  // group commit
  groupWritesMax: 2_048,
  groupItemsMax: 20_000,
  groupsAtOnce: 8,
  queuedWritesMax: 65_536,
  // deletion
  erasureStepRecordsMax: 500,
  deletionLeaseMs: 60_000,
  deletionBackOffMsMax: 5 * 60_000,
  cascadeRecordsMax: 1_000_000,
  heldDeletionRetryMs: 5_000,
  dueDeletionsLookedAtMax: 32,
  deletionsAtOnceMax: 64,
  deletionsErasedAtOnceMax: 16,
  /** After as many as are made at once: a rest of so many times what they took. */
  deletionRestTimes: 2,
  deletionRestMsMax: 5_000,
  /** On SQLite: looks at the pages written since the last look, and what of the log is left to the last one. */
  looksAtFileMax: 5,
  framesAtCompletionMax: 4_000,
  /** Looks that find something, before an attempt is given up and operators are told why. */
  verificationsMax: 20,
  ledgerEntriesAtOnce: 1_000,
  /** Of the JSON of one append; and how long a process waits for another that appends. */
  ledgerFrameBytesMax: 48 * 1_024,
  ledgerLockMsMax: 10_000,
  /** How often a serving process notes in the ledger what became of the store's chains. */
  ledgerCatchUpMs: 2_000,
  // legal holds
  holdsOfRecordMax: 100,
  holdsListedAtOnce: 1_000,
  retainDaysMax: 36_500,
  retentionLookedAtMax: 2_000,
  retentionShownMax: 100,
  // upkeep: an expired token is kept for a while so that it can be told from an unknown one
  expiredTokensKeptMs: 24 * 60 * 60 * 1_000,
  purgedRowsMax: 5_000,
  /** On SQLite: free pages of 4 KiB that a file keeps, and how many go back to the file system in one step. */
  freePagesKept: 1_024,
  pagesGivenBackAtOnce: 64,
} as const;
