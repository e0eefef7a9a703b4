// Runs the demonstration: starts a server with its own store, creates an organization and a key as an operator does,
// and from then on uses only HTTP. Removes the store at the end unless --keep names a folder for it.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Sluice, SluiceError, SluiceNetworkError } from "../../../client/src/sluice.ts";
import type { App } from "../../actions/app.ts";
import { createKey } from "../../actions/access/keys.ts";
import { createOrganization } from "../../actions/access/create-organization.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import type { Context } from "../../cli/command.ts";
import { type Column, renderTable } from "../../cli/output/table.ts";
import { type Demo, stepsOf } from "./steps.ts";
import { sluice } from "../../basics/program-name.ts";

type Input = Pick<Demo, "transactions" | "assessments" | "signal">;

export interface DemoOptions extends Input {
  readonly origin: string;
  readonly keep: string | undefined;
}

const organizationId = "demo";

/** Throws OperatorError at the first reply that breaks a promise. */
export async function runDemo(context: Context, { origin, keep, ...input }: DemoOptions) {
  const kept = keep === undefined ? undefined : await makeEmptyFolder(resolve(keep));
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "sluice-demo-")));
  const DATABASE_URL = `sqlite:${join(folder, "sluice.db")}`;
  const own = { HOST: "127.0.0.1", PORT: "0", DATABASE_URL, DATA_DIR: folder, LOG_LEVEL: "fatal" };
  const environment = { ...context.environment, ...own };
  try {
    const server = await context.startService(environment);
    try {
      const apiKey = await makeKey({ ...server.app, operator: context.operator });
      const steps = await runSteps(context, input, { baseUrl: server.address, apiKey });
      return { ok: true, origin, ...steps, kept: kept ?? null };
    } finally {
      await server.stop();
    }
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function makeEmptyFolder(folder: string): Promise<string> {
  makePrivateFolder(folder);
  if ((await readdir(folder)).length === 0) return folder;
  const message = `${folder} is not empty; name an empty folder, or one that does not exist.`;
  throw new OperatorError("input", message);
}

async function makeKey(app: App): Promise<string> {
  await createOrganization(app, { name: "Demonstration", organizationId });
  return (await createKey(app, { organizationId, name: "demonstration" })).secret;
}

async function runSteps(
  { err, json }: Context,
  input: Input,
  server: { readonly baseUrl: string; readonly apiKey: string },
) {
  let requestMs: number[] = [];
  let waits = 0;
  const measuredFetch: typeof fetch = async (...request) => {
    const before = performance.now();
    const response = await fetch(...request);
    if (response.status === 429) waits += 1;
    else requestMs.push(performance.now() - before);
    return response;
  };
  const client = new Sluice({ ...server, organizationId, fetch: measuredFetch });
  const demo: Demo = { client, ...input, sample: [] };
  const figures: Figures[] = [];
  for (const [step, perform] of Object.entries(stepsOf(demo))) {
    [requestMs, waits] = [[], 0];
    const before = performance.now();
    const records = await perform().catch((error: unknown) => {
      input.signal.throwIfAborted();
      throw explain(step, error);
    });
    const seconds = (performance.now() - before) / 1_000;
    figures.push({ step, ...measure(requestMs, records, seconds), waits });
    if (!json) err.write(`${step.padEnd(24)} ${records} in ${seconds.toFixed(2)} s\n`);
  }
  // All deletions are requested at the same time, so the step takes as long as the longest deletion.
  const deletions = figures.find(({ step }) => step === "deletions");
  return {
    steps: figures,
    deletions_completed: deletions?.records ?? 0,
    deletion_seconds_max: deletions?.seconds ?? 0,
    waits: figures.reduce((sum, figure) => sum + figure.waits, 0),
  };
}

function explain(step: string, error: unknown): unknown {
  if (!(error instanceof SluiceError)) return error;
  const kind = error instanceof SluiceNetworkError ? "server" : "broken_promise";
  return new OperatorError(kind, `${step}: ${error.message}`, { cause: error });
}

type Figures = ReturnType<typeof measure> & { readonly step: string; readonly waits: number };

function measure(requestMs: readonly number[], records: number, seconds: number) {
  const sorted = requestMs.toSorted((one, other) => one - other);
  const quantile = (share: number): number =>
    Number((sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0).toFixed(3));
  return {
    requests: requestMs.length,
    records,
    seconds: Number(seconds.toFixed(3)),
    records_per_second: seconds > 0 ? Math.round(records / seconds) : 0,
    median_ms: quantile(0.5),
    p99_ms: quantile(0.99),
  };
}

const columns: readonly Column<Figures>[] = [
  ["step", ({ step }) => step],
  ["requests", ({ requests }) => String(requests), { right: true }],
  ["records", ({ records }) => String(records), { right: true }],
  ["seconds", ({ seconds }) => seconds.toFixed(2), { right: true }],
  ["records/s", (figures) => String(figures.records_per_second), { right: true }],
  ["median ms", (figures) => figures.median_ms.toFixed(1), { right: true }],
  ["99% ms", (figures) => figures.p99_ms.toFixed(1), { right: true }],
];

export function describeReport(report: Awaited<ReturnType<typeof runDemo>>): string {
  const { steps, origin, kept, waits, deletions_completed, deletion_seconds_max } = report;
  const retries = `The server answered 429 ${waits} times; every retry after its Retry-After succeeded.\n`;
  const settings = `DATABASE_URL=sqlite:${kept}/sluice.db DATA_DIR=${kept}`;
  return `${renderTable(columns, steps)}

Records: ${origin}. The server ran in the same process; median and 99% are request times measured by the client.
Each of the ${deletions_completed} deletions also erased a check and an alert, and was completed within ${deletion_seconds_max.toFixed(2)} s.
${waits > 0 ? retries : ""}Every reply was correct.${kept === null ? "" : `\n\nThe store was kept. To serve it: ${settings} ${sluice} serve`}`;
}
