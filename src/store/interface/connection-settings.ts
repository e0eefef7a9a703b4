// How an engine connects to a server that other processes use too, and what is known of it.

import type { MessagePort } from "node:worker_threads";

export interface ConnectionSettings {
  /** Maximum number of connections of this process. */
  readonly poolMax: number;
  /** False for a connection pooler that does not support prepared statements. */
  readonly prepare: boolean;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /** How long a migration of the schema waits for others who use the tables. */
  readonly startTimeoutMs: number;
}

/** What a process has found out about its server, and its other threads need not find out again. */
export interface KnownServer {
  readonly distributed: boolean;
  readonly secured: boolean;
  readonly serverVersion: number;
  readonly schema: string | undefined;
}

export interface SharedServer {
  readonly url: string;
  readonly connections: ConnectionSettings;
  readonly server: KnownServer;
  /** Through it the thread asks for what the ledger has; missing only in tests of the engine. */
  readonly ledger?: MessagePort | undefined;
}

export const defaultConnections: ConnectionSettings = {
  poolMax: 10,
  prepare: true,
  statementTimeoutMs: 30_000,
  lockTimeoutMs: 10_000,
  startTimeoutMs: 30_000,
};
