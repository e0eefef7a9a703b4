// Checks whether a server of PostgreSQL can have the store, and says what to do if it can't, or can't be reached. Never
// repeats the URL, which may contain a password.

import { AppError } from "../../domain/error.ts";
import { whyNotRead } from "../../files/named-file.ts";
import { describeServers, tlsFilesOf, unknownTls } from "../../files/postgres-urls.ts";
import { StoreError } from "../interface/store-error.ts";
import { Database } from "./database.ts";
import { insufficientPrivilege, lockNotAvailable, readOnlyState, ServerError } from "./failure.ts";

const oldestServer = 150_000;

const describeServer = `
  SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS recovering,
    current_setting('server_version') AS name, current_setting('server_encoding') AS encoding,
    current_setting('session_replication_role') = 'replica' AS replica`;

interface Server {
  readonly version: number;
  readonly recovering: boolean;
  readonly name: string;
  readonly encoding: string;
  readonly replica: boolean;
}

/** The driver would end with an error of its own, or take an unknown value for another one. */
export function requireKnownTls(url: string): void {
  for (const [name, path] of tlsFilesOf(url)) {
    const why = whyNotRead(path);
    if (why === undefined) continue;
    throw new StoreError(`${name} in DATABASE_URL names ${path}, which can't be read: ${why}.`);
  }
  const unknown = unknownTls(url);
  if (unknown === undefined) return;
  throw new StoreError(
    `${unknown} in DATABASE_URL has a value that is not known. Use sslmode=verify-full for a connection with TLS, ` +
      "sslmode=no-verify for one that does not verify the certificate, or sslmode=disable for one without.",
  );
}

/** Sets `Database.version`. */
export async function refuseUnsupported(database: Database): Promise<void> {
  const server = await database.transaction({}, (transaction) =>
    transaction.get<Server>(describeServer),
  );
  if (server === undefined) throw new TypeError("the server does not describe itself");
  if (server.version < oldestServer) {
    throw new StoreError(
      `The server that DATABASE_URL names is PostgreSQL ${server.name}; 15 or newer is needed.`,
    );
  }
  database.serverVersion = server.version;
  if (server.encoding !== "UTF8") {
    throw new StoreError(
      `The database that DATABASE_URL names has the encoding ${server.encoding}. Create it with ENCODING 'UTF8'.`,
    );
  }
  if (server.replica) {
    throw new StoreError(
      "session_replication_role is replica for this role or database, so the server does not enforce foreign keys. Only a " +
        "superuser can change it: have it reset with ALTER ROLE … RESET session_replication_role.",
    );
  }
  if (server.recovering) {
    throw new StoreError(
      "The server that DATABASE_URL names is a read-only replica. Name the primary, or add " +
        "target_session_attrs=read-write to what chooses the server.",
      { isTemporary: true },
    );
  }
}

export function describeOpening(url: string, error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const cause = error instanceof AppError ? error.cause : error;
  if (!(error instanceof AppError) && !(error instanceof ServerError)) return error;
  const reason = cause instanceof Error ? describeReason(cause) : "no answer";
  const { advice, isTemporary = false } = adviseOn(cause);
  return new StoreError(
    `The store at ${describeServers(url) ?? "DATABASE_URL"} can't be opened: ${reason}. ${advice}`,
    { isTemporary: error instanceof AppError && isTemporary, cause },
  );
}

/** Codes of OpenSSL and Node for a certificate whose authority is not trusted. */
const distrusted: ReadonlySet<unknown> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

interface Advice {
  readonly advice: string;
  /** The cause may end by itself, or an operator may be removing it. */
  readonly isTemporary?: boolean;
}

const startIt: Advice = {
  advice:
    "Check that the server runs there and that the user and the password in DATABASE_URL are right.",
  isTemporary: true,
};

const refused: Advice = {
  advice: "Check the user, the password and the database in DATABASE_URL.",
};

const unreachable: Advice = {
  advice: "Check the host and the port in DATABASE_URL, and that the server runs there.",
  isTemporary: true,
};

const unreachableCodes: ReadonlySet<unknown> = new Set(
  "EAI_AGAIN ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOTFOUND ETIMEDOUT".split(" "),
);

const adviceByState: Readonly<Record<string, Advice>> = {
  [insufficientPrivilege]: {
    advice:
      "Give the role the rights that the guide to PostgreSQL lists; the first is GRANT CONNECT ON DATABASE.",
  },
  [readOnlyState]: {
    advice:
      "The server, the database or the role has default_transaction_read_only = on, which some providers set when " +
      "the disk is full.",
    isTemporary: true,
  },
  [lockNotAvailable]: {
    advice: "Somebody else has locked a table of the database; the view pg_locks says who.",
    isTemporary: true,
  },
  "28000": refused,
  "28P01": refused,
  "3D000": refused,
  "53100": { advice: "The server's disk is full.", isTemporary: true },
  "53300": {
    advice:
      "Allow more connections (max_connections, or the CONNECTION LIMIT of the role or the database), or lower " +
      "DATABASE_POOL_MAX.",
    isTemporary: true,
  },
};

function adviseOn(cause: unknown): Advice {
  if (cause instanceof ServerError) return adviceByState[cause.state] ?? startIt;
  const { code, syscall } = { code: undefined, syscall: undefined, ...(cause as object) };
  if (distrusted.has(code)) {
    const advice =
      "The server's certificate was not issued by an authority that this machine trusts. Name the authority's own certificate: " +
      "add sslrootcert=/path/to/ca.pem to DATABASE_URL, or set NODE_EXTRA_CA_CERTS.";
    return { advice };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return { advice: "In DATABASE_URL, name the server by a name that is in its certificate." };
  }
  if (syscall === "open") {
    return { advice: "Check sslrootcert, sslcert and sslkey in DATABASE_URL." };
  }
  return unreachableCodes.has(code) ? unreachable : startIt;
}

/** If several addresses were tried, each has its own error. */
function describeReason(cause: Error): string {
  if (cause instanceof AggregateError) {
    return cause.errors.map((error) => (error as Error).message).join(", ");
  }
  return cause.message;
}
