// The two servers that are compared, each on a store of its own: the floor, and the product as an operator starts it,
// with an organization, a key and a token.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Connection } from "../client/src/connection.ts";
import { readSettings, type SluiceOptions } from "../client/src/options.ts";
import { TokenKeeper } from "../client/src/token-keeper.ts";
import type { Scope } from "../src/domain/scope.ts";
import { type ServerProcess, startServer } from "./child.ts";
import { program } from "./program.ts";
import {
  type MakeStore,
  type Settings,
  type TemporaryStore,
  withTemporaryStores,
} from "./temporary-store.ts";

export const subjectNames = ["floor", "product"] as const;
export type SubjectName = (typeof subjectNames)[number];

export interface Subject {
  readonly name: SubjectName;
  readonly server: ServerProcess;
  readonly token: string | undefined;
  readonly store: TemporaryStore;
}

export type Subjects = Readonly<Record<SubjectName, Subject>>;

/**
 * Runs both on empty stores of the engine, with these settings of PostgreSQL. `stop` stops them, after which their
 * stores can still be read.
 */
export function withSubjects<Result>(
  engine: string,
  measure: (subjects: Subjects, stop: () => Promise<void>) => Promise<Result>,
  settings: Settings = {},
): Promise<Result> {
  const run = async (makeStore: MakeStore): Promise<Result> => {
    const started: Subject[] = [];
    const stop = async (): Promise<void> => {
      await Promise.all(started.splice(0).map(({ server }) => server.stop()));
    };
    try {
      const floor = await startFloor(await makeStore());
      started.push(floor);
      const product = await startProduct(await makeStore());
      started.push(product);
      return await measure({ floor, product }, stop);
    } finally {
      // Something is left to stop only after a failure, and that failure is the one to report.
      await stop().catch(() => undefined);
    }
  };
  return withTemporaryStores(engine, run, settings);
}

async function startFloor(store: TemporaryStore): Promise<Subject> {
  const server = await startServer([path("floor.ts"), store.settings.DATABASE_URL], {});
  return { name: "floor", server, token: undefined, store };
}

/** `scopes`: of the key and of the token, if not the usual ones. */
export async function startProduct(
  store: TemporaryStore,
  scopes?: readonly Scope[],
): Promise<Subject> {
  const { settings } = store;
  const organization = runCommand(settings, ["organization", "create", "--name", "Bench"]);
  const organizationId = organization["organization_id"] ?? "";
  const named = scopes === undefined ? [] : ["--scopes", scopes.join(",")];
  const key = runCommand(settings, ["key", "create", "--organization", organizationId, ...named]);
  const server = await startServer([program, "serve"], settings);
  const token = await requestToken({
    baseUrl: `http://127.0.0.1:${server.port}`,
    apiKey: key["api_key"],
    organizationId,
    expirySeconds: 86_400,
    scopes,
  });
  return { name: "product", server, token, store };
}

export function runCommand(environment: NodeJS.ProcessEnv, command: readonly string[]) {
  const output = execFileSync(process.execPath, [program, ...command, "--json"], {
    env: { ...process.env, ...environment },
    encoding: "utf8",
  });
  return JSON.parse(output) as Readonly<Record<string, string>>;
}

/** A token for requests that the load generator sends itself. */
export function requestToken(options: SluiceOptions): Promise<string> {
  return new TokenKeeper(new Connection(readSettings(options)), options).get();
}

function path(relative: string): string {
  return join(import.meta.dirname, relative);
}
