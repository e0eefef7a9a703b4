// Kills importers repeatedly, over HTTP and on the file itself, and sometimes the server, has them resume, and compares
// the store with the files. Stops at the first round in which anything was found.

import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  findingOf,
  makeLimit,
} from "../../campaign/campaign.ts";
import { type Started, startProgram } from "../../cli/program.ts";
import type { Customer } from "../../support/customer.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import { operate } from "../../support/server.ts";
import { count, type Figures } from "../site.ts";
import { endSqliteSite, makeSqliteSite, type SqliteSite, startOn } from "../sqlite/site.ts";
import {
  type Book,
  checkReport,
  compareBook,
  type Format,
  formats,
  importedAgain,
  type Input,
  makeAdds,
  makeUpdates,
} from "./rows.ts";

/** In turn, so that a short campaign covers each. */
const ways = formats.flatMap((format) =>
  [true, false].map((isOverHttp) => ({ isOverHttp, format })),
);
const killsPerRound = 4;

export const crashImport: Campaign<Figures> = {
  about: "kills importers, has them resume, and compares the store with the files",
  counts: "kills",
  countDefault: 20,
  engines: ["sqlite"],
  run: (run) => killImporters(run, 20_000),
};

/** `rows`: in each file. */
export async function killImporters(
  run: CampaignRun,
  rows: number,
): Promise<CampaignOutcome<Figures>> {
  const isOver = makeLimit(run);
  const findings: string[] = [];
  const figures: Figures = { kills: 0, changes: 0 };
  for (let round = 0; !isOver(figures["kills"] ?? 0) && findings.length === 0; round += 1) {
    const { isOverHttp = true, format = "csv" } = ways[round % ways.length] ?? {};
    const random = makeRandom(run.seed * 1_000 + round);
    const killsMax = Math.min((figures["kills"] ?? 0) + killsPerRound, run.countMax);
    const place = await makePlace(run.seed + round, isOverHttp);
    const found = place.site.ledger.findings;
    try {
      await runRound(place, { format, rows, random, figures, killsMax });
    } catch (error) {
      found.push(findingOf(error));
    }
    // A server starts on what an importer has left, too.
    if (place.site.server === undefined) await startOn(place.site);
    await endSqliteSite(place.site);
    findings.push(...found);
    run.tell(
      `round ${round + 1} (${format}): ${JSON.stringify(figures)}, ${found.length} findings`,
    );
  }
  return { figures, findings };
}

/** A store with one organization, and a server that comes back at the same address if it is killed. */
interface Place {
  readonly site: SqliteSite;
  readonly customer: Customer;
  /** Undefined where the importer writes to the file itself. */
  readonly address: string | undefined;
  /** For files to import, and what the importer writes next to them. */
  readonly folder: string;
}

async function makePlace(seed: number, isOverHttp: boolean): Promise<Place> {
  const made = await makeSqliteSite(seed, 1);
  const { server, senders } = made;
  const [sender] = senders;
  if (server === undefined || sender === undefined) throw new Error("nothing is served");
  const { address } = server.process;
  const environment = { ...made.environment, PORT: new URL(address).port };
  const site = Object.assign(made, { environment });
  const folder = join(site.folder, "input");
  mkdirSync(folder);
  if (isOverHttp) return { site, customer: sender.customer, address, folder };
  await server.process.end("SIGTERM");
  site.server = undefined;
  return { site, customer: sender.customer, address: undefined, folder };
}

interface Round {
  readonly format: Format;
  readonly rows: number;
  readonly random: Random;
  readonly figures: Figures;
  readonly killsMax: number;
}

/** A file of new records, and then a file of changes of them. */
async function runRound(place: Place, round: Round): Promise<void> {
  const { site } = place;
  const { findings } = site.ledger;
  const book: Book = new Map();
  for (const make of [makeAdds, makeUpdates]) {
    const input = make(book, round);
    findings.push(...(await importUnderKills({ place, input, random: round.random }, round)));
  }
  const { findings: damage } = await operate(site.environment, (app) => app.store.checkIntegrity());
  findings.push(...damage, ...compareBook(book, await site.readStored()));
  for (const changes of book.values()) count(round.figures, "changes", changes.length);
}

interface Importing {
  readonly place: Place;
  readonly input: Input;
  readonly random: Random;
}

async function importUnderKills(
  importing: Importing,
  { figures, killsMax, random }: Round,
): Promise<readonly string[]> {
  const { place, input } = importing;
  writeFileSync(join(place.folder, input.name), input.text);
  const last = Math.min((figures["kills"] ?? 0) + random.integer(1, 3), killsMax);
  const before = countChanges(place);
  // The state is removed at the end of an import. Who repeats an import that was killed later begins another one.
  const hasEnded = () =>
    !existsSync(statePathOf(importing)) && countChanges(place) - before === input.counts.written;
  let expected = input;
  while ((figures["kills"] ?? 0) < last) {
    const out = await startAndKill(importing, figures);
    if (out !== undefined) return checkReport(place.folder, expected, out);
    // A repeated update is another change, by contract.
    if (hasEnded() && input.isUpdate) return [];
    if (hasEnded()) expected = importedAgain(input);
  }
  const { code, out, err } = await startImport(importing).ended;
  // Some rows of each file have to be refused.
  if (code === 3 && err === "") return checkReport(place.folder, expected, out);
  return [`the import of ${input.name} ended with ${code}: ${err}`];
}

/** The report of an import that ended before it could be killed. */
async function startAndKill(importing: Importing, figures: Figures): Promise<string | undefined> {
  const { place, random } = importing;
  const { site, address } = place;
  const { child, ended } = startImport(importing);
  await awaitMoment(importing, child);
  const server = address !== undefined && random.chance(0.4) ? random.integer(0, 2) : undefined;
  const killServer = async () => {
    await site.server?.kill();
    count(figures, "serverKills");
  };
  if (server === 0 || server === 1) await killServer();
  if (server === 1) {
    // It resumes by itself when its server is back.
    await startOn(site);
    await awaitMoment(importing, child);
  }
  const isKilled = isRunning(child) && child.kill("SIGKILL");
  const { code, out } = await ended;
  if (server === 2) await killServer();
  if (address !== undefined && site.server === undefined) await startOn(site);
  if (!isKilled || code !== -1) return out;
  count(figures, "kills");
  if (rowsDone(importing) > 0) count(figures, "killsInProgress");
  return undefined;
}

function startImport({ place, input, random }: Importing): Started {
  const { site, customer, address, folder } = place;
  const about = ["--type", "transaction", "--organization", customer.organizationId];
  const connections = ["--connections", String(random.integer(1, 6))];
  const words = ["import", join(folder, input.name), ...about, ...connections, "--json"];
  if (input.isUpdate) words.push("--update");
  if (address === undefined) return startProgram(words, site.environment);
  return startProgram([...words, "--url", address], { SLUICE_API_KEY: customer.apiKey });
}

function statePathOf({ place, input }: Importing): string {
  return join(place.folder, `${input.name}.sluice-import.json`);
}

/** How far the importer says it has come; 0 before it has begun and after it has ended. */
function rowsDone(importing: Importing): number {
  try {
    const { done } = JSON.parse(readFileSync(statePathOf(importing), "utf8")) as {
      readonly done: readonly (readonly [from: number, to: number])[];
    };
    return done.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  } catch {
    return 0;
  }
}

/** Resolves shortly after it has come to a row, or when it has ended; or, for some, as soon as it has started. */
async function awaitMoment(importing: Importing, child: ChildProcess): Promise<void> {
  const { random, input } = importing;
  const isAtStart = random.chance(0.15);
  const least = rowsDone(importing) + 1;
  const wanted = random.integer(least, Math.max(least, input.counts.rows - 500));
  const isEarly = () => isRunning(child) && rowsDone(importing) < wanted;
  if (!isAtStart) while (isEarly()) await sleep(1);
  const until = performance.now() + random.integer(0, isAtStart ? 500 : 20);
  while (isRunning(child) && performance.now() < until) await new Promise(setImmediate);
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function countChanges({ site }: Place): number {
  const database = new DatabaseSync(site.databasePath, { readOnly: true, timeout: 10_000 });
  try {
    return Number(database.prepare("SELECT count(*) AS count FROM change").get()?.["count"]);
  } finally {
    database.close();
  }
}
