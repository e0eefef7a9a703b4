// Every setting of the core in one table: name, default, meaning, and how it is read. Settings come only from the
// environment. Features have settings of their own, which are read together with these.

import { isIP } from "node:net";
import { dirname, join } from "node:path";
import { isFullDate, timestampMinDefault } from "../domain/timestamp.ts";
import { isLoopback } from "../basics/url-hostname.ts";
import { postgresUrls } from "../files/postgres-urls.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import {
  type ConnectionSettings,
  defaultConnections,
} from "../store/interface/connection-settings.ts";
import {
  isNetwork,
  oneOf,
  onOrOff,
  Problem,
  secret,
  type Setting,
  setting,
  text,
  wholeNumber,
} from "./setting.ts";
import { findOidcProblems, oidcSettings } from "./oidc-settings.ts";
import { findForeignDatabase } from "./foreign-database.ts";
import { readSecretFiles } from "./secret-files.ts";

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/** The table; docs/reference/settings.md is compared with it by a test. */
export const settings = {
  host: setting(
    "HOST",
    "127.0.0.1",
    "Address to listen on. The default accepts connections from this machine only.",
    listenAddress,
  ),
  port: setting("PORT", "8080", "Port to listen on; 0 picks a free one.", wholeNumber(0, 65_535)),
  databaseUrl: secret(
    "DATABASE_URL",
    "sqlite:./data/sluice.db",
    "The store: `sqlite:` and a path, or `postgres://user:password@host:port/database`, which may have several hosts.",
    databaseUrl,
  ),
  databasePoolMax: setting(
    "DATABASE_POOL_MAX",
    String(defaultConnections.poolMax),
    "Maximum number of connections to PostgreSQL of this process.",
    wholeNumber(2, 1_000),
  ),
  databasePrepare: setting(
    "DATABASE_PREPARE",
    defaultConnections.prepare ? "on" : "off",
    "`off` disables prepared statements, for a connection pooler in front of PostgreSQL that does not support them.",
    onOrOff,
  ),
  databaseStatementTimeoutMs: setting(
    "DATABASE_STATEMENT_TIMEOUT_MS",
    String(defaultConnections.statementTimeoutMs),
    "Maximum duration of a PostgreSQL statement, in milliseconds.",
    wholeNumber(100, 3_600_000),
  ),
  databaseLockTimeoutMs: setting(
    "DATABASE_LOCK_TIMEOUT_MS",
    String(defaultConnections.lockTimeoutMs),
    "Maximum time that a PostgreSQL statement waits for a lock, in milliseconds.",
    wholeNumber(10, 3_600_000),
  ),
  databaseStartTimeoutMs: setting(
    "DATABASE_START_TIMEOUT_MS",
    "30000",
    "How long a start waits for a PostgreSQL server that can't be reached, accepts no writes or has locked tables, and a migration for others who use the tables, in milliseconds.",
    wholeNumber(0, 3_600_000),
  ),
  dataDir: setting(
    "DATA_DIR",
    "./data",
    "Folder of the embedded store, `sluice.db`, of the ledger of deletions and of the key for receipts.",
    text("the path of a folder"),
  ),
  receiptKeyFile: setting(
    "RECEIPT_KEY_FILE",
    "./data/receipt-key.pem",
    "The Ed25519 private key in PEM format that signs receipts. Unless it is set, a key is created in `DATA_DIR` at the first start.",
    text("the path of a file"),
  ),
  logLevel: setting(
    "LOG_LEVEL",
    "info",
    `Lowest level that is logged: ${logLevels.join(", ")}. In a terminal, the default is warn outside production.`,
    oneOf(logLevels),
  ),
  rateLimitPerSecond: setting(
    "RATE_LIMIT_PER_SECOND",
    "1000",
    "Requests per second for each organization, with bursts of twice as many; 0 disables all rate limits.",
    wholeNumber(0, 10_000_000),
  ),
  metricsToken: secret(
    "METRICS_TOKEN",
    "",
    "Token that `/metrics` requires as `Authorization: Bearer …`; anybody can read the metrics without it.",
    metricsToken,
  ),
  deletionPollMs: setting(
    "DELETION_POLL_MS",
    "1000",
    "How often the worker checks for due deletions, in milliseconds.",
    wholeNumber(10, 3_600_000),
  ),
  clockJumpHours: setting(
    "CLOCK_JUMP_HOURS",
    "24",
    "By how many hours the clock may differ from the last time that the store knows, before deletions and the ends of retention and of holds are paused until `sluice clock confirm`; 0 never pauses them.",
    wholeNumber(0, 87_600),
  ),
  timestampMin: setting(
    "TIMESTAMP_MIN",
    timestampMinDefault,
    "The first day of timestamps that are accepted, because earlier ones mostly mean that there is none.",
    fullDate,
  ),
  shutdownDelayMs: setting(
    "SHUTDOWN_DELAY_MS",
    "0",
    "How long a stopping server continues to accept requests, in milliseconds, while `/health/ready` answers 503 so that load balancers send no more.",
    wholeNumber(0, 600_000),
  ),
  shutdownGraceMs: setting(
    "SHUTDOWN_GRACE_MS",
    "10000",
    "How long a stop then waits for requests in flight, in milliseconds.",
    wholeNumber(0, 600_000),
  ),
  trustProxy: setting(
    "TRUST_PROXY",
    "off",
    "Proxies whose X-Forwarded-For header is trusted: `off`, or addresses and networks such as 10.0.0.0/8, separated by commas.",
    trustedProxies,
  ),
  console: setting("CONSOLE", "on", "`off` removes the console at `/console`.", onOrOff),
  consoleUrl: setting(
    "CONSOLE_URL",
    "",
    "URL by which browsers reach the service, such as `https://sluice.example.com`. Without it, the address of each request counts.",
    consoleUrl,
  ),
  ...oidcSettings,
  production: setting(
    "NODE_ENV",
    "development",
    "`production`, `development` or `test`. Under `production`, `serve` creates neither a store nor a demo organization.",
    environmentName,
  ),
};

type OwnConfig = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer Value>
    ? Value
    : never;
};

export interface Config extends OwnConfig {
  readonly added: ReadonlyMap<Setting<unknown>, unknown>;
}

type Settings = readonly Setting<unknown>[];

/** The value of a setting of a feature; its default where no settings of features were read. */
export function valueOf<Value>({ added }: Config, item: Setting<Value>): Value {
  return (added.has(item) ? added.get(item) : item.read(item.fallback)) as Value;
}

function secretNamesOf(all: Settings): readonly string[] {
  return all.flatMap(({ name, isSecret }) => (isSecret === true ? [name] : []));
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The message has a line for each setting that can't be read. */
export class ConfigError extends Error {}

/** `added`: the settings of features. Throws ConfigError that names each invalid setting and what was expected. */
export function readConfig(variables: Environment, added: Settings = []): Config {
  const production = variables[settings.production.name] === "production";
  const names = secretNamesOf([...Object.values(settings), ...added]);
  const secrets = readSecretFiles(variables, names, { emptyAllowed: !production });
  const { environment } = secrets;
  const problems = [...secrets.problems];
  if (production && problems.length === 0) problems.push(...findForeignDatabase(environment));
  const read = (item: Setting<unknown>): unknown => {
    const written = environment[item.name];
    const value = item.read(written === undefined || written === "" ? item.fallback : written);
    if (value instanceof Problem) {
      problems.push(`${item.name} must be ${value.expected}${quote(item.name, written)}.`);
    }
    return value;
  };
  const entries = Object.entries(settings).map(([key, item]) => [key, read(item)]);
  const values = new Map(added.map((item) => [item, read(item)]));
  if (problems.length === 0) problems.push(...findOidcProblems(environment));
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  const config = Object.fromEntries(entries) as OwnConfig;
  const isSet = ({ name }: { readonly name: string }) => (environment[name] ?? "") !== "";
  const path = isSet(settings.databaseUrl) ? sqlitePath(config.databaseUrl) : undefined;
  const dataDir = path === undefined || isSet(settings.dataDir) ? config.dataDir : dirname(path);
  return {
    ...config,
    added: values,
    dataDir,
    ...(isSet(settings.databaseUrl) ? {} : { databaseUrl: `sqlite:${dataDir}/sluice.db` }),
    ...(isSet(settings.receiptKeyFile) ? {} : { receiptKeyFile: join(dataDir, "receipt-key.pem") }),
  };
}

export function connectionsOf(config: Config): ConnectionSettings {
  return {
    poolMax: config.databasePoolMax,
    prepare: config.databasePrepare,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    lockTimeoutMs: config.databaseLockTimeoutMs,
    startTimeoutMs: config.databaseStartTimeoutMs,
  };
}

/** A URL may contain a password, and tokens and headers are secrets, so none of them is ever repeated. */
function quote(name: string, given: string | undefined): string {
  return /_(?:URL|ISSUER|TOKEN|SECRET|ENDPOINT|HEADERS)$/.test(name)
    ? ""
    : `, but is "${given ?? ""}"`;
}

/** Anything else, such as `prod`, is ambiguous and therefore refused. */
function environmentName(value: string): boolean | Problem {
  const known = ["production", "development", "test"];
  return known.includes(value)
    ? value === "production"
    : new Problem("production, development or test");
}

/** An IPv6 address may be in brackets, as in a URL. */
function listenAddress(value: string): string | Problem {
  const inBrackets = /^\[(.*)\]$/.exec(value)?.[1];
  if (inBrackets !== undefined && isIP(inBrackets) === 6) return inBrackets;
  return text("an address of this machine, such as 127.0.0.1 or ::1, or 0.0.0.0 for all")(value);
}

function trustedProxies(value: string): false | string | Problem {
  if (value === "off") return false;
  if (value.split(",").every((part) => isNetwork(part.trim()))) return value;
  return new Problem("off, or addresses and networks such as 10.0.0.0/8, separated by commas");
}

function fullDate(value: string): string | Problem {
  return isFullDate(value) ? value : new Problem("a date such as 1980-01-01");
}

function databaseUrl(value: string): string | Problem {
  const isFile = sqlitePath(value) !== undefined && !/^sqlite:(?:\/\/)?:memory:/.test(value);
  if (isFile || postgresUrls(value) !== undefined) return value;
  return new Problem(
    "sqlite: followed by the path of a file, such as sqlite:./data/sluice.db, or a URL such as " +
      "postgres://user:password@host:5432/database; PostgreSQL may have up to 8 hosts separated by commas, " +
      "and target_session_attrs only with the value read-write",
  );
}

/** The syntax of a bearer token (RFC 6750, section 2.1), and too long to be guessed. */
function metricsToken(value: string): string | undefined | Problem {
  if (value === "") return undefined;
  if (/^[\w.~+/-]{16,1024}=*$/.test(value)) return value;
  return new Problem(
    "16 to 1024 letters, digits or characters of -._~+/, such as what `openssl rand -hex 32` prints",
  );
}

/** An origin: a path is not supported, and a user, a query or a fragment has no meaning. */
function consoleUrl(value: string): string | undefined | Problem {
  if (value === "") return undefined;
  const url = URL.parse(value);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (!isPlain) return new Problem("a URL without a path, such as https://sluice.example.com");
  if (url.protocol === "https:" || isLoopback(url.hostname)) return url.origin;
  return new Problem(
    "a URL with https, such as https://sluice.example.com: without TLS, browsers support no passkeys, and cookies of " +
      "sessions can be read on the way. Only an address of this machine, such as http://localhost:8080, needs no TLS",
  );
}
