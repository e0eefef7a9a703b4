// Every bound of the service that is not a setting: sizes, counts, depths and times, with the unit last.

export const limits = {
  // records (contract, section 3)
  idCharactersMax: 256,
  textCharactersMax: 1_024,
  /** Of a report's narrative and of the value of an additional property. */
  longTextCharactersMax: 32 * 1_024,
  reasonCharactersMax: 1_024,
  listItemsMax: 1_000,
  recordBytesMax: 64 * 1_024,
  /** How far in the future a timestamp may lie: a year ahead for payments that are dated ahead, and clocks that differ. */
  timestampAheadDaysMax: 366,
  // numbers: the largest integer that a double and every neighbour of it hold exactly
  amountMagnitudeMax: Number.MAX_SAFE_INTEGER,
  /** Every double can be written without an exponent in 345 characters; a longer text is not read as a number. */
  numberCharactersMax: 400,
  // requests (contract, sections 5 and 6)
  batchItemsMax: 10_000,
  /** Of a list: its items, and the records that they relate to. */
  listRowsMax: 50_000,
  bodyBytesMax: 16 * 1_024 * 1_024,
  headerBytesMax: 16 * 1_024,
  jsonDepthMax: 16,
  /** Of a field that takes any JSON value, so that a list of such records keeps to the bound of a body. */
  jsonFieldDepthMax: 14,
  fieldErrorsMax: 100,
  /** How many of the errors of one request suggest the name that was meant; each costs a comparison with all names. */
  suggestionsMax: 20,
  requestIdCharactersMax: 128,
  idempotencyKeyCharactersMax: 255,
  idempotencyKeptMs: 24 * 60 * 60 * 1_000,
  // work of one organization at a time; what is beyond it waits for a while, and is then rejected
  organizationRequestsMax: 2_048,
  organizationBodyBytesMax: 48 * 1_024 * 1_024,
  organizationStreamsMax: 8,
  // what a request may cost for one token of the rate limit: whichever of the three comes to most
  itemsPerToken: 100,
  bytesPerToken: 32 * 1_024,
  processorMsPerToken: 1,
  // over all organizations
  heldBodyBytesMax: 128 * 1_024 * 1_024,
  streamsMax: 64,
  // from so many bytes on a body is read by a thread of its own
  largeBodyBytesMin: 16 * 1_024,
  // of a request that carries no records
  smallBodyBytesMax: 256 * 1_024,
  bodyReservationWaitMsMax: 10_000,
  bodiesWaitingMax: 256,
  /** Of bodies that are parsed and validated at the same time; one of them always fits, and small ones beside it. */
  parsedBodyBytesMax: 40 * 1_024 * 1_024,
  organizationParsedBytesMax: 18 * 1_024 * 1_024,
  // load shedding: how often the process is sampled, and what counts as pressure
  pressureSampleMs: 250,
  pressureDelayMsMax: 250,
  pressureDelaySustainedMs: 2_000,
  pressureRetrySeconds: 2,
  /** Resident memory from which the largest bodies are rejected, and all large ones. */
  residentBytesHigh: 384 * 1_024 * 1_024,
  residentBytesCritical: 448 * 1_024 * 1_024,
  /** Bodies that are large, and the largest, to load shedding. */
  shedBodyBytesMin: 256 * 1_024,
  largestBodyBytesMin: 1_024 * 1_024,
  // of a lenient list, in one transaction
  lenientPartItems: 1_000,
  // errors that the results of a lenient list name, over all its items
  lenientErrorsMax: 10_000,
  // the text of one record, with blanks
  itemTextBytesMax: 1_024 * 1_024,
  // streams (application/x-ndjson)
  streamLineBytesMax: 64 * 1_024,
  streamGroupItemsMax: 500,
  streamGroupBytesMax: 1_024 * 1_024,
  // with the relations of one more record it is no more than a group of the store takes
  streamGroupRowsMax: 990,
  /** Shared by the groups of all streams. */
  streamGroupsBytesMax: 4 * 1_024 * 1_024,
  // decoded bytes for each byte received, counted from so many received bytes on
  streamRatioMax: 200,
  streamRatioBytesMin: 64 * 1_024,
  // lines that are not valid, after which a stream is ended
  streamInvalidLinesMax: 10_000,
  // how long a client that does not read the reply is waited for, and its rest taken in after the stream has failed
  streamReplyWaitMs: 5_000,
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
  // how long, and how many bytes of, what follows the last reply is taken in, for the client to see the reply
  lingerMs: 5_000,
  lingerBytesMax: 32 * 1_024 * 1_024,
  /** Over all connections. */
  lingerBytesPerSecond: 16 * 1_024 * 1_024,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 2_000,
  // over all connections: what came behind requests that wait for their turn, and replies that wait for their clients
  unparsedBytesMax: 64 * 1_024 * 1_024,
  queuedReplyBytesMax: 64 * 1_024 * 1_024,
  // access (interface document: 300 to 86400 seconds)
  tokenSecondsMin: 300,
  tokenSecondsMax: 86_400,
  scopesMax: 64,
  organizationIdCharactersMax: 64,
  nameCharactersMax: 200,
  tokenRequestsPerMinute: 60,
  failedAuthenticationsPerMinute: 20,
  unauthenticatedRequestsPerSecond: 100,
  unauthenticatedRequestsBurst: 200,
  // of one organization, or of one address: replies of 429 that are sent at once, and how many follow in a second
  rejectionsBurst: 50,
  rejectionsPerSecond: 200,
  rejectionDelayMsMax: 1_000,
  callersCachedMax: 100_000,
  bucketsMax: 100_000,
  credentialsPollMs: 500,
  // rate limits that processes share
  redisConnectMs: 1_000,
  redisRetryMsMin: 500,
  redisRetryMsMax: 30_000,
  // group commit
  groupWritesMax: 2_048,
  groupRowsMax: 2_000,
  groupBytesMax: 4 * 1_024 * 1_024,
  // a longer list than a group may hold: while others are active, the writer rests from such for so many times what one took
  longListRestTimes: 150,
  queuedWritesMax: 65_536,
  // deletion
  erasureStepRecordsMax: 128,
  /** On SQLite: changes that are removed in one transaction. */
  erasureStepChangesMax: 2_000,
  /** On SQLite: the largest cascade that is planned in one transaction, and how much of a larger one shares a transaction. */
  planRelationsAtOnceMax: 200,
  planTargetsAtOnceMax: 200,
  /** On SQLite: how many targets of a plan share a transaction that verifies them. */
  verifiedTargetsAtOnceMax: 200,
  deletionLeaseMs: 60_000,
  deletionBackOffMsMax: 5 * 60_000,
  cascadeRecordsMax: 1_000_000,
  heldDeletionRetryMs: 5_000,
  dueDeletionsCheckedMax: 32,
  deletionsAtOnceMax: 64,
  deletionsErasedAtOnceMax: 16,
  /** After as many as are made at once: a rest of so many times what they took. */
  deletionRestTimes: 2,
  deletionRestMsMax: 5_000,
  /** On SQLite: looks at the pages written since the last look, and what of the log is left to the last one. */
  scrubRoundsMax: 5,
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
  retentionScannedMax: 2_000,
  retentionShownMax: 100,
  // readiness: an answer is kept, and an answer that takes longer is "not ready"
  readinessKeptMs: 1_000,
  readinessTimeoutMs: 5_000,
  writeProbeBytes: 1_024 * 1_024,
  /** After this time a client may try again while the disk is full or can't be written. */
  noRoomRetrySeconds: 10,
  unavailableLogMs: 10_000,
  // upkeep: an expired token is kept for a while so that it can be told from an unknown one
  expiredTokensKeptMs: 24 * 60 * 60 * 1_000,
  purgedRowsMax: 5_000,
  /** On SQLite: free pages of 4 KiB that a file keeps, and how many go back to the file system in one step. */
  freePagesKept: 1_024,
  vacuumPagesMax: 64,
} as const;

/** One error more than a reply lists, so that whoever cuts the list can tell that there are more. */
export const errorsMax = limits.fieldErrorsMax + 1;
