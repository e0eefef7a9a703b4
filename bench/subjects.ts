// The two servers that are compared, each with its own store in a temporary folder: the floor, and the product as an operator
// starts it, with an organization, a key and a token.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Connection } from "../client/src/connection.ts";
import { readSettings, type SluiceOptions } from "../client/src/options.ts";
import { TokenKeeper } from "../client/src/token-keeper.ts";
import { type ServerProcess, startServer } from "./child.ts";

export const subjectNames = ["floor", "product"] as const;
export type SubjectName = (typeof subjectNames)[number];

export interface Subject {
  readonly name: SubjectName;
  readonly server: ServerProcess;
  /** The SQLite file, to count rows afterwards. */
  readonly file: string;
  readonly token: string | undefined;
}

export async function startFloor(folder: string): Promise<Subject> {
  const file = join(folder, "floor.db");
  const server = await startServer([path("floor.ts"), file], {});
  return { name: "floor", server, file, token: undefined };
}

export async function startProduct(folder: string): Promise<Subject> {
  const file = join(folder, "sluice.db");
  const product = await startProductOn(`sqlite:${file}`, folder);
  return { name: "product", file, ...product };
}

/** The product as an operator starts it, with an access token. */
export async function startProductOn(
  databaseUrl: string,
  folder: string,
): Promise<Pick<Subject, "server" | "token">> {
  const environment = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    NODE_ENV: "production",
    LOG_LEVEL: "info",
    // Rate limits apply and are reported in every reply, but are high enough to refuse nothing.
    RATE_LIMIT_PER_SECOND: "10000000",
  };
  const organization = runCommand(environment, ["organization", "create", "--name", "Bench"]);
  const organizationId = organization["organization_id"] ?? "";
  const key = runCommand(environment, ["key", "create", "--organization", organizationId]);
  const server = await startServer([path("../src/cli/main.ts"), "serve"], environment);
  const token = await requestToken({
    baseUrl: `http://127.0.0.1:${server.port}`,
    apiKey: key["api_key"],
    organizationId,
    expirySeconds: 86_400,
  });
  return { server, token };
}

export function runCommand(environment: NodeJS.ProcessEnv, command: readonly string[]) {
  const output = execFileSync(
    process.execPath,
    [path("../src/cli/main.ts"), ...command, "--json"],
    { env: { ...process.env, ...environment }, encoding: "utf8" },
  );
  return JSON.parse(output) as Readonly<Record<string, string>>;
}

/** A token for requests that the load generator sends itself. */
export function requestToken(options: SluiceOptions): Promise<string> {
  return new TokenKeeper(new Connection(readSettings(options)), options).get();
}

function path(relative: string): string {
  return join(import.meta.dirname, relative);
}
