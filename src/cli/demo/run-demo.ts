// The demonstration from start to end: a server with a store of its own, an organization and a key as an operator makes
// them, and then only HTTP. Removes the store unless it is told to keep it.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Sluice, SluiceError, SluiceNetworkError } from "../../../client/src/sluice.ts";
import { createKey } from "../../actions/create-key.ts";
import { createOrganization } from "../../actions/create-organization.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { readConfig } from "../../config.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import type { Context } from "../command.ts";
import { makeContext } from "../context.ts";
import type { DemoReport, StepFigures } from "./report.ts";
import { type Demo, steps } from "./steps.ts";

export interface DemoOptions extends Pick<Demo, "transactions" | "assessments" | "signal"> {
  /** Where the records come from. */
  readonly origin: string;
  /** Folder for the store, which is then kept. */
  readonly keep: string | undefined;
}

const organizationId = "demo";

/** Throws OperatorError at the first reply that is not as promised. */
export async function runDemo(context: Context, options: DemoOptions): Promise<DemoReport> {
  const kept = options.keep === undefined ? undefined : resolve(options.keep);
  if (kept !== undefined) await makeEmptyFolder(kept);
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "sluice-demo-")));
  const environment = { ...context.environment, ...settingsOf(folder) };
  try {
    const { serve } = await import("../../serve.ts");
    const server = await serve(readConfig(environment));
    try {
      const apiKey = await makeKey(context, environment);
      const report = await runSteps(context, options, { baseUrl: server.address, apiKey });
      return { ...report, origin: options.origin, kept };
    } finally {
      await server.stop();
    }
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

function settingsOf(folder: string): Readonly<Record<string, string>> {
  const DATABASE_URL = `sqlite:${join(folder, "sluice.db")}`;
  return { HOST: "127.0.0.1", PORT: "0", DATABASE_URL, DATA_DIR: folder, LOG_LEVEL: "fatal" };
}

async function runSteps(
  { err, json }: Context,
  { transactions, assessments, signal }: DemoOptions,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
): Promise<Pick<DemoReport, "steps" | "deletionMs">> {
  let requestMs: number[] = [];
  let waits = 0;
  const measuredFetch: typeof fetch = async (...request) => {
    const before = performance.now();
    const response = await fetch(...request);
    if (response.status === 429) waits += 1;
    else requestMs.push(performance.now() - before);
    return response;
  };
  const client = new Sluice({ baseUrl, apiKey, organizationId, fetch: measuredFetch });
  const demo: Demo = { client, transactions, assessments, signal, sample: [], deletionMs: [] };
  const figures: StepFigures[] = [];
  for (const [name, step] of Object.entries(steps)) {
    [requestMs, waits] = [[], 0];
    const before = performance.now();
    const records = await step(demo).catch((error: unknown) => {
      signal.throwIfAborted();
      throw explain(name, error);
    });
    const seconds = (performance.now() - before) / 1_000;
    figures.push({ name, records, seconds, requestMs, waits });
    if (!json) err.write(`${name.padEnd(24)} ${records} in ${seconds.toFixed(2)} s\n`);
  }
  return { steps: figures, deletionMs: demo.deletionMs };
}

function explain(step: string, error: unknown): unknown {
  if (!(error instanceof SluiceError)) return error;
  const kind = error instanceof SluiceNetworkError ? "server" : "broken_promise";
  return new OperatorError(kind, `${step}: ${error.message}`, { cause: error });
}

/** Beside the server, as `sluice organization create` and `sluice key create` do it. */
function makeKey(context: Context, environment: Context["environment"]): Promise<string> {
  const { out, err, operator } = context;
  const beside = makeContext({ environment, out, err }, { json: true, as: operator });
  return beside.withApp(async (app) => {
    await createOrganization(app, { name: "Demonstration", organizationId });
    return (await createKey(app, { organizationId, name: "demonstration" })).secret;
  });
}

async function makeEmptyFolder(folder: string): Promise<void> {
  makePrivateFolder(folder);
  if ((await readdir(folder)).length === 0) return;
  const message = `${folder} is not empty; name a folder that is, or that does not exist.`;
  throw new OperatorError("input", message);
}
