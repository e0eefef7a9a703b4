// The servers that DATABASE_URL names. New connections go to the one that was last found to accept writes. If it can't
// be reached, or has become a replica, the next one is tried. A password may come from a password file, as in libpq
// (postgresql.org/docs/current/libpq-pgpass.html); the driver's own support of it is deprecated.

import { Client, type ClientBase, type ClientConfig } from "pg";
import { whyNotRead } from "../../files/named-file.ts";
import { postgresUrls } from "../../files/postgres-urls.ts";
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { StoreError } from "../interface/store-error.ts";

/** A server that answers, but accepts no writes. */
export class ReadOnlyServer extends Error {
  override readonly name = "ReadOnlyServer";
}

export class Servers {
  readonly #urls: readonly string[];
  /** Whether a server that accepts no writes is passed over. */
  readonly mustWrite: boolean;
  #at = 0;

  constructor(url: string) {
    this.#urls = postgresUrls(url) ?? [url];
    this.mustWrite = this.#urls.length > 1 || url.includes("target_session_attrs=");
  }

  get count(): number {
    return this.#urls.length;
  }

  /** The URL of the server that the next connection is made to. */
  get current(): string {
    return this.#urls[this.#at] ?? "";
  }

  /** Connections that fail at the same time skip a server only once. */
  pass(url: string): void {
    if (url === this.current) this.#at = (this.#at + 1) % this.count;
  }

  /** For the driver's pool: each connection is made to the current server. */
  clients(): new () => ServerClient {
    return clientOf(this);
  }

  /** Throws ReadOnlyServer. */
  async requireWritable(client: ClientBase): Promise<void> {
    const { rows } = await client.query<{ readonly off: boolean }>(
      "SELECT current_setting('transaction_read_only') = 'off' AS off",
    );
    if (rows[0]?.off === true) return;
    this.pass((client as ServerClient).url);
    throw new ReadOnlyServer("the server accepts no writes");
  }
}

interface ServerClient extends ClientBase {
  readonly url: string;
}

function clientOf(servers: Servers): new () => ServerClient {
  return class extends Client {
    readonly url: string;

    constructor(config?: ClientConfig) {
      const url = servers.current;
      super({ ...config, connectionString: url });
      this.url = url;
      const { host, port, database = "", user = "", password } = this;
      // The driver calls it when the server asks for a password.
      const find = () => findPassword({ host, port, database, user });
      if (password === undefined || password === null) Object.assign(this, { password: find });
    }

    override connect(): Promise<Client>;
    override connect(connected: (error: Error) => void): void;
    override connect(connected?: (error: Error) => void): Promise<Client> | void {
      if (connected === undefined) return super.connect();
      super.connect((error: Error) => {
        if (error instanceof Error) servers.pass(this.url);
        connected(error);
      });
    }
  };
}

interface Wanted {
  /** A path for a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** Called when the server asks for a password that the URL does not have. Throws StoreError if there is none. */
function findPassword(wanted: Wanted): string {
  const file = process.env["PGPASSFILE"] ?? join(homedir(), ".pgpass");
  const stats = statSync(file, { throwIfNoEntry: false });
  const advice = "Add it to DATABASE_URL, or set PGPASSWORD";
  if (stats === undefined) throw new StoreError(`The server asks for a password. ${advice}.`);
  if ((stats.mode & 0o077) !== 0) {
    throw new StoreError(
      `The server asks for a password, and ${file} is not used because other users may read it: chmod 600 ${file}.`,
    );
  }
  const why = whyNotRead(file);
  if (why !== undefined) throw new StoreError(`${file} can't be read for a password: ${why}.`);
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
