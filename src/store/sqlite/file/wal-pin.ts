// Read transactions that stand in the way of whoever would checkpoint the WAL, or begin it anew. They read nothing
// that matters; checkpoint-freeze.ts tells what they are for.

import { type Connection, openReader } from "../connection.ts";

/** Those that are open for the sake of a connection that writes. */
const pins = new WeakMap<Connection, readonly Connection[]>();

const anyRow = `SELECT value FROM meta WHERE name = 'schema_version'`;

/** Takes the place of those before it, without a gap in between. */
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
