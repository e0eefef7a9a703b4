// How an engine uses a server that it shares with other processes.

export interface ConnectionSettings {
  /** Maximum number of connections of this process. */
  readonly poolMax: number;
  /** False for a connection pooler that does not support prepared statements. */
  readonly prepare: boolean;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

export const defaultConnections: ConnectionSettings = {
  poolMax: 10,
  prepare: true,
  statementTimeoutMs: 30_000,
  lockTimeoutMs: 10_000,
};
