// The servers that DATABASE_URL names. New connections go to the one that was last found to accept writes. If it can't
// be reached, or has become a replica, the next one is tried.

import { Client, type ClientBase, type ClientConfig } from "pg";
import { postgresUrls } from "../../files/postgres-urls.ts";
import { StoreError } from "../interface/store-error.ts";
import { send } from "./send.ts";

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
    const server = client as ServerClient;
    const text = "SELECT current_setting('transaction_read_only') = 'off' AS off";
    const { rows } = await send(server, text);
    if ((rows as readonly { off: boolean }[])[0]?.off === true) return;
    this.pass(server.url);
    throw new ReadOnlyServer("the server accepts no writes");
  }
}

interface ServerClient extends Client {
  readonly url: string;
}

function clientOf(servers: Servers): new () => ServerClient {
  return class extends Client {
    readonly url: string;

    constructor(config?: ClientConfig) {
      const url = servers.current;
      super({ ...config, connectionString: url });
      this.url = url;
      Object.assign(this, { password: this.password ?? refusePassword });
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

/** The driver calls it when the server asks for a password; without it, the driver would read a password file. */
function refusePassword(): never {
  throw new StoreError(
    "The server asks for a password. Add it to DATABASE_URL, or set PGPASSWORD; password files (.pgpass) are not read.",
  );
}
