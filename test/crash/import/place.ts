// One store with one organization, and how an import reaches it: over HTTP to a server that can be
// killed and comes back at the same address, or directly in the file.

import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../../../src/actions/access/keys.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { operate } from "../../support/server.ts";
import { type ServerProcess, startServerProcess } from "../../support/server-process.ts";
import { complaints } from "../sqlite/site.ts";

export const entryPoints = ["http", "local"] as const;
export type EntryPoint = (typeof entryPoints)[number];

export const organizationId = "acme";

export interface Place {
  readonly folder: string;
  /** For files to import, and what the importer writes next to them. */
  readonly inputFolder: string;
  readonly databasePath: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly apiKey: string;
  /** Undefined where the importer writes to the file itself. */
  readonly server: Server | undefined;
}

export interface Server {
  readonly address: string;
  /** Kills it; `start` starts it again. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops it as an operator would; returns what it wrote as an error, if anything. */
  stop(): Promise<readonly string[]>;
}

export async function makePlace(entryPoint: EntryPoint): Promise<Place> {
  // Not removed automatically: if something is found, the files are the evidence.
  const folder = mkdtempSync(join(tmpdir(), "sluice-import-"));
  const inputFolder = join(folder, "input");
  mkdirSync(inputFolder);
  const databasePath = join(folder, "sluice.db");
  const environment = {
    PORT: "0",
    DATABASE_URL: `sqlite:${databasePath}`,
    DATA_DIR: folder,
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: "0",
  };
  const apiKey = await operate(environment, async (app) => {
    await createOrganization(app, { name: "Acme", organizationId });
    return (await createKey(app, { organizationId })).secret;
  });
  const server = entryPoint === "http" ? await makeServer(environment) : undefined;
  return { folder, inputFolder, databasePath, environment, apiKey, server };
}

async function makeServer(environment: Readonly<Record<string, string>>): Promise<Server> {
  const first = await startServerProcess(environment);
  const { port } = new URL(first.address);
  const errors: string[] = [];
  let running: ServerProcess | undefined = first;
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    if (running === undefined) return;
    const ended = await running.end(signal);
    const wanted = signal === "SIGKILL" ? signal : 0;
    if (ended !== wanted) errors.push(`${signal} ended the server with ${ended}`);
    errors.push(...complaints(running));
    running = undefined;
  };
  return {
    address: first.address,
    kill: () => end("SIGKILL"),
    start: async () => {
      running ??= await startServerProcess({ ...environment, PORT: port });
    },
    stop: async () => {
      await end("SIGTERM");
      return errors;
    },
  };
}
