// Constants of how the engine uses its server, besides what is a setting.

/** Of a serving process's connections, for the thread that writes large lists and streams. */
export const bulkConnectionsMax = 2;

/** How long a request waits for a connection of the pool, or for a new one, before it is told to try again. */
export const connectTimeoutMs = 5_000;

/** A process that stops in the middle of a transaction gives its locks back after this time. */
export const idleInTransactionTimeoutMs = 60_000;

/** How much later than the server's own limit a statement without an answer is given up, with its connection. */
export const answerGraceMs = 5_000;

/** A transaction that met another (serialization, deadlock, a race for the same record) is tried so often. */
export const attemptsMax = 8;

/** The same for what may take as long as it needs: a check of everything, a change of the schema. */
export const unlimitedAnswerMs = 24 * 60 * 60 * 1_000;
