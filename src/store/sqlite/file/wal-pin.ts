// Read transactions that keep the WAL from being checkpointed or restarted. What they read does not matter;
// checkpoint-freeze.ts explains their purpose.

import { type Connection, openReader } from "../connection.ts";

/** The open pins of each connection that writes. */
const pins = new WeakMap<Connection, readonly Connection[]>();

const anyRow = `SELECT value FROM meta WHERE name = 'schema_version'`;

/** Replaces earlier pins, without a gap in between. */
export function addPin(connection: Connection): void {
  const before = pins.get(connection) ?? [];
  const pin = openReader(connection.path);
  pins.set(connection, [...before, pin]);
  pin.run("BEGIN");
  pin.get(anyRow);
  pins.set(connection, [pin]);
  for (const earlier of before) earlier.close();
}

export function releasePins(connection: Connection): void {
  const open = pins.get(connection) ?? [];
  pins.delete(connection);
  for (const pin of open) pin.close();
}
