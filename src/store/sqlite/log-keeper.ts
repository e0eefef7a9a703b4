// Read transactions that stand in the way of whoever would bring the log into the file, or begin it anew. They read nothing
// that matters; frozen-file.ts tells what they are for.

import { type Connection, openReader } from "./connection.ts";

/** Those that are open for the sake of a connection that writes. */
const keepers = new WeakMap<Connection, readonly Connection[]>();

const anyRow = `SELECT value FROM meta WHERE name = 'schema_version'`;

/** Takes the place of those before it, without a gap in between. */
export function keep(connection: Connection): void {
  const before = keepers.get(connection) ?? [];
  const keeper = openReader(connection.path);
  keepers.set(connection, [...before, keeper]);
  keeper.run("BEGIN");
  keeper.get(anyRow);
  keepers.set(connection, [keeper]);
  for (const earlier of before) earlier.close();
}

export function release(connection: Connection): void {
  const held = keepers.get(connection) ?? [];
  keepers.delete(connection);
  for (const keeper of held) keeper.close();
}
