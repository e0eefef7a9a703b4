// Finds the password of a connection in a password file, as libpq does
// (postgresql.org/docs/current/libpq-pgpass.html). The driver's own support of it is deprecated.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { StoreError } from "../interface/store-error.ts";

interface Wanted {
  /** A path for a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** Called when the server asks for a password that the URL does not have. Throws StoreError if there is none. */
export function findPassword(wanted: Wanted): string {
  const file = process.env["PGPASSFILE"] ?? join(homedir(), ".pgpass");
  const stats = statSync(file, { throwIfNoEntry: false });
  const advice = "Add it to DATABASE_URL, or set PGPASSWORD";
  if (stats === undefined) throw new StoreError(`The server asks for a password. ${advice}.`);
  if ((stats.mode & 0o077) !== 0) {
    throw new StoreError(
      `The server asks for a password, and ${file} is not used because other users may read it: chmod 600 ${file}.`,
    );
  }
  const password = passwordIn(readFileSync(file, "utf8"), wanted);
  if (password !== undefined) return password;
  throw new StoreError(
    `The server asks for a password, and ${file} has none for this connection. ${advice}.`,
  );
}

/** The first line that fits: host:port:database:user:password, where `*` fits everything, and `\` escapes a sign. */
export function passwordIn(
  text: string,
  { host, port, database, user }: Wanted,
): string | undefined {
  const names = [host.startsWith("/") ? "localhost" : host, `${port}`, database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    const fields = fieldsOf(line);
    const fits = names.every((name, at) => fields[at] === "*" || fields[at] === name);
    if (fits && fields.length === 5) return fields[4];
  }
  return undefined;
}

function fieldsOf(line: string): readonly string[] {
  const fields = [""];
  for (const [, escaped, plain] of line.matchAll(/\\(.)|([^\\])/g)) {
    if (plain === ":" && fields.length < 5) fields.push("");
    else fields.push(`${fields.pop() ?? ""}${escaped ?? plain ?? ""}`);
  }
  return fields;
}
