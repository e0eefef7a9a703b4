// Constants for the use of the server, in addition to the settings.

/** How many connections of a serving process are reserved for its bulk thread. */
export const bulkConnectionsMax = 2;

/** How long a request waits for a connection before it is refused as unavailable. */
export const connectTimeoutMs = 5_000;

/** After this time, a process that hangs in a transaction loses its locks. */
export const idleInTransactionTimeoutMs = 60_000;

/** After the server's own limit plus this time, a statement without an answer is abandoned, with its connection. */
export const answerGraceMs = 5_000;

/** How often a transaction is tried after a serialization failure, a deadlock, or a race for a record. */
export const attemptsMax = 8;

/** The same for work without a time limit: a check of the whole store, a migration. */
export const unlimitedAnswerMs = 24 * 60 * 60 * 1_000;
