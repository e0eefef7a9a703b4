// The two servers that are compared, each on a store of its own in a folder that is thrown away: the floor, and the
// product as an operator starts it, with an organization, a key and a token made the way a client's are.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type ServerProcess, startServer } from "./child.ts";

export const subjectNames = ["floor", "product"] as const;
export type SubjectName = (typeof subjectNames)[number];

export interface Subject {
  readonly name: SubjectName;
  readonly server: ServerProcess;
  /** The SQLite file, for counting afterwards. */
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

/** The product as an operator starts it, with a token made the way a client's is. */
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
    // In force, counted and told in every reply, but high enough to refuse nothing.
    RATE_LIMIT_PER_SECOND: "10000000",
  };
  const organization = runCommand(environment, ["organization", "create", "--name", "Bench"]);
  const organizationId = organization["organization_id"] ?? "";
  const key = runCommand(environment, ["key", "create", "--organization", organizationId]);
  const server = await startServer([path("../src/cli/main.ts"), "serve"], environment);
  const token = await requestToken(server.port, organizationId, key["api_key"] ?? "");
  return { server, token };
}

function runCommand(environment: NodeJS.ProcessEnv, command: readonly string[]) {
  const output = execFileSync(
    process.execPath,
    [path("../src/cli/main.ts"), ...command, "--json"],
    { env: { ...process.env, ...environment }, encoding: "utf8" },
  );
  return JSON.parse(output) as Readonly<Record<string, string>>;
}

async function requestToken(port: number, organizationId: string, apiKey: string): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/auth/token`, {
    method: "POST",
    headers: { authorization: apiKey, "content-type": "application/json" },
    body: JSON.stringify({
      expiry_seconds: 86_400,
      scopes: { organization_id: organizationId, scopes: ["transactions:write"] },
    }),
  });
  const { token } = (await reply.json()) as { token?: string };
  if (token === undefined) throw new Error(`no token: status ${reply.status}`);
  return token;
}

function path(relative: string): string {
  return join(import.meta.dirname, relative);
}
