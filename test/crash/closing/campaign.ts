// Closes organizations with an export beside a server that erases at once: the command is killed at any of its steps,
// two or three run at the same time, into the same folder or into others. Whatever happens, every record is in a
// complete export or still in the store, and the same command finishes the closing.

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../../campaign/campaign.ts";
import { addTransaction, updateTransaction } from "../../cli/write-transactions.ts";
import { type CommandLine, makeCommandLine, withoutManifest } from "../../cli/command-line.ts";
import { runProgram } from "../../cli/program.ts";
import { withDatabases } from "../../support/database-maker.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import { operate } from "../../support/server.ts";
import { startServerProcess } from "../../support/server-process.ts";
import { removeFolder } from "../../support/temp-folder.ts";
import { waitFor } from "../../support/wait-for.ts";
import { runAndKill } from "../restore/shim.ts";

interface Figures {
  closings: number;
  kills: number;
  beside: number;
}

export const crashClosing: Campaign<Figures> = {
  about: "kills closings of organizations, runs several at once, and verifies their exports",
  counts: "closings",
  countDefault: 20,
  engines: ["sqlite", "postgres"],
  run: (run) => withDatabases(run.engine, async (make) => closeMany(run, await make?.())),
};

const records = 30;
/** Runs after which the closing has to be complete. */
const runsMax = 6;

interface Site {
  readonly line: CommandLine;
  readonly exports: string;
  readonly root: string;
  readonly messages: boolean;
}

async function closeMany(
  run: CampaignRun,
  databaseUrl: string | undefined,
): Promise<CampaignOutcome<Figures>> {
  const isOver = makeLimit(run);
  // Not removed automatically: if something is found, the files are the evidence.
  const root = mkdtempSync(join(tmpdir(), "sluice-closing-"));
  const [exports, folder] = [join(root, "exports"), join(root, "data")];
  for (const made of [exports, folder]) mkdirSync(made);
  const messages = databaseUrl !== undefined;
  const environment = {
    DELETION_POLL_MS: "20",
    ...(messages ? { DATABASE_URL: databaseUrl } : {}),
  };
  const line = makeCommandLine({ folder, environment });
  const site = { line, exports, root, messages };
  const server = await startServerProcess({ ...line.environment, PORT: "0" });
  const figures: Figures = { closings: 0, kills: 0, beside: 0 };
  const random = makeRandom(run.seed);
  const findings: string[] = [];
  try {
    while (!isOver(figures.closings) && findings.length === 0) {
      figures.closings += 1;
      const id = `acme-${figures.closings}`;
      await closeOne(site, { id, random, figures }).catch((error: unknown) =>
        findings.push(`${id}: ${String(error)}`),
      );
      run.tell(`${id}: ${figures.kills} kills, ${findings.length} findings`);
    }
  } finally {
    await server.end("SIGTERM");
  }
  if (findings.length === 0) removeFolder(root);
  else findings.push(`the files are kept in ${root}`);
  return { figures, findings };
}

interface Round {
  readonly id: string;
  readonly random: Random;
  readonly figures: Figures;
}

/** With runs that are killed or beside one another, until one reports that the organization is closed. */
async function closeOne(site: Site, { id, random, figures }: Round): Promise<void> {
  const expected = await fill(site.line, id);
  const folders = [join(site.exports, `${id}-a`), join(site.exports, `${id}-b`)];
  for (let run = 1; run <= runsMax; run += 1) {
    const isLast = run === runsMax;
    const count = isLast ? 1 : random.integer(1, 3);
    figures.beside += count - 1;
    const ends = await Promise.all(
      Array.from({ length: count }, () => {
        const folder = random.chance(0.7) ? folders[0] : folders[1];
        const words = ["organization", "close", "--organization", id, "--export", folder ?? ""];
        const killed = !isLast && random.chance(0.7);
        return runOne(site, [...words, "--yes"], killed ? random.integer(1, 90) : 0);
      }),
    );
    figures.kills += ends.filter(({ killed }) => killed).length;
    const unexpected = ends.filter(
      ({ killed, code, err }) => !killed && code !== 0 && !isRefusal(err),
    );
    if (unexpected.length > 0) throw new Error(unexpected.map(({ err }) => err).join("\n"));
    await requireKept(site.line, { id, expected, folders });
    if (ends.some(({ killed, code, err }) => !killed && (code === 0 || isClosed(err))))
      return await requireClosed(site, id, folders);
  }
  throw new Error("the closing was not finished");
}

/** A command beside another one, or after it. */
function isRefusal(err: string): boolean {
  return /another command is closing/.test(err) || isClosed(err);
}

/** Another command has requested the deletion. */
function isClosed(err: string): boolean {
  return /was closed (?:at \S+ )?already/.test(err);
}

interface End {
  readonly killed: boolean;
  readonly code: number;
  readonly err: string;
}

/** Killed before the step with this number; 0 for a run to the end. */
async function runOne(site: Site, words: readonly string[], at: number): Promise<End> {
  const { line, root: folder, messages } = site;
  const { environment } = line;
  if (at > 0) return runAndKill({ words, environment, folder, messages }, at);
  return { killed: false, ...(await runProgram(words, environment)) };
}

/** Returns the content of the export of its transactions. */
async function fill(line: CommandLine, id: string): Promise<string> {
  await line.ask("organization", "create", "--name", id, "--id", id);
  await operate(line.environment, async (app) => {
    for (let number = 1; number <= records; number += 1) {
      await addTransaction(app, id, { tx_id: `${id}-tx-${number}` });
    }
    const timestamp = "2026-02-01T09:30:00Z";
    await updateTransaction(app, id, { tx_id: `${id}-tx-1`, status: "SETTLED", timestamp });
  });
  const { out } = await line.type("export transaction --history --organization", id);
  return withoutManifest(out);
}

interface Kept {
  readonly id: string;
  readonly expected: string;
  readonly folders: readonly string[];
}

/** Everything is in a complete export, or nothing was requested to be deleted. */
async function requireKept(line: CommandLine, { id, expected, folders }: Kept): Promise<void> {
  const complete = folders.map(readComplete).filter((text) => text !== undefined);
  if (complete.some((text) => text !== expected))
    throw new Error("a complete export lacks records");
  if (complete.length > 0) return;
  const shown = await line.ask("organization show --include-confidential", id);
  const { transaction } = shown["records"] as { readonly transaction?: number };
  if (shown["deletion_request_id"] !== null || transaction !== records) {
    throw new Error(`nothing has all records: ${JSON.stringify(shown)}`);
  }
}

/** The transactions in an export that its manifest says is complete; throws if a file is not as the manifest says. */
function readComplete(folder: string): string | undefined {
  let manifest: { files: { name: string; sha256: string; rows: number }[] };
  try {
    manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as typeof manifest;
  } catch {
    return undefined;
  }
  if (manifest.files.length === 0) return undefined;
  for (const { name, sha256, rows } of manifest.files) {
    const content = readFileSync(join(folder, name));
    const found = createHash("sha256").update(content).digest("hex");
    const lines = content.toString().split("\n").length - 1;
    if (found !== sha256 || lines !== rows) throw new Error(`${folder}/${name} was changed`);
  }
  return readFileSync(join(folder, "transaction.ndjson"), "utf8");
}

/** Its deletion completes, the trail names a complete export, and no unfinished file is left. */
async function requireClosed(
  { line }: Site,
  id: string,
  folders: readonly string[],
): Promise<void> {
  await waitFor("the organization to be erased", async () => {
    const shown = await line.ask("organization show --include-confidential", id);
    return shown["deletion_status"] === "completed";
  });
  const { out } = await line.type("audit export --organization", id);
  const [, exportId] = /"export":\{"exportId":"(exp_\w+)"/.exec(out) ?? [];
  const known = folders.map((folder) => readManifest(folder)?.export_id);
  if (exportId === undefined || !known.includes(exportId)) {
    throw new Error(`the export ${exportId} in the audit trail is not one of ${known.join()}`);
  }
  const left = folders.flatMap(listNames).filter((name) => /unfinished/.test(name));
  if (left.length > 0) throw new Error(`${left.join()} is left`);
}

function readManifest(folder: string): { readonly export_id: string } | undefined {
  if (!listNames(folder).includes("manifest.json")) return undefined;
  return JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as { export_id: string };
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
