// One round: a file of new records and then a file of changes to them, both into one store, while
// the importer and sometimes its server are killed repeatedly; then a check of everything.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Random } from "../../support/random.ts";
import { removeFolder } from "../../support/temp-folder.ts";
import { checkReport, checkStore } from "./check.ts";
import {
  awaitMoment,
  type Importing,
  isRunning,
  readNoted,
  startImport,
  statePathOf,
} from "./importer.ts";
import {
  type Book,
  type Format,
  type Input,
  importedAgain,
  makeAdds,
  makeUpdates,
} from "./input.ts";
import { type EntryPoint, makePlace, type Place } from "./place.ts";

export interface RoundFigures {
  /**
   * Importers killed; of these, after some rows were noted; and with more rows in the store than
   * were noted.
   */
  kills: number;
  killsInProgress: number;
  killsAheadOfNote: number;
  serverKills: number;
  imports: number;
  rows: number;
  changes: number;
}

export interface RoundOptions {
  readonly entryPoint: EntryPoint;
  readonly format: Format;
  readonly rows: number;
  /** The maximum in this round. */
  readonly killsMax: number;
  readonly random: Random;
  readonly figures: RoundFigures;
}

/** What was found; the folder of the round is kept if there is anything. */
export async function runRound(options: RoundOptions): Promise<readonly string[]> {
  const { entryPoint, figures } = options;
  const place = await makePlace(entryPoint);
  const book: Book = new Map();
  const findings: string[] = [];
  const killsMax = figures.kills + options.killsMax;
  try {
    for (const make of [makeAdds, makeUpdates]) {
      const input = make(book, options);
      const killsHere = Math.min(options.random.integer(1, 3), killsMax - figures.kills);
      findings.push(...(await importUnderKills(place, input, { ...options, killsHere })));
    }
  } catch (error) {
    findings.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  findings.push(...((await place.server?.stop()) ?? []));
  findings.push(...(await checkStore(place, book)));
  for (const changes of book.values()) figures.changes += changes.length;
  if (findings.length === 0) removeFolder(place.folder);
  else findings.push(`the files are kept in ${place.folder}`);
  return findings;
}

async function importUnderKills(
  place: Place,
  input: Input,
  { random, figures, killsHere }: RoundOptions & { readonly killsHere: number },
): Promise<readonly string[]> {
  const file = join(place.inputFolder, input.name);
  writeFileSync(file, input.text);
  const importing: Importing = { place, input, file, random };
  const last = figures.kills + killsHere;
  const changesBefore = countChanges(place);
  // The state is removed at the end of an import. Who repeats an import that was killed later begins another one.
  const hasEnded = (): boolean =>
    !existsSync(statePathOf(importing)) &&
    countChanges(place) - changesBefore === input.counts.written;
  let expected = input;
  figures.imports += 1;
  figures.rows += input.counts.rows;
  while (figures.kills < last) {
    const report = await startAndKill(importing, figures);
    if (report !== undefined) return checkReport(place, expected, report);
    // A repeated update is another change, by contract.
    if (hasEnded() && input.update) return [];
    if (hasEnded()) expected = importedAgain(input);
  }
  const { code, out, err } = await startImport(importing).ended;
  // Some rows of each file have to be rejected.
  if (code === 3 && err === "") return checkReport(place, expected, out);
  return [`the import of ${input.name} ended with ${code}: ${err}`];
}

/** The report of an import that ended before it could be killed. */
async function startAndKill(
  importing: Importing,
  figures: RoundFigures,
): Promise<string | undefined> {
  const { place, random } = importing;
  const writtenBefore = countChanges(place);
  const notedBefore = readNoted(importing).written;
  const { child, ended } = startImport(importing);
  await awaitMoment(importing, child);
  const killsServer = place.server !== undefined && random.chance(0.4);
  const order = random.integer(0, 2);
  if (killsServer && order === 0) await killServer(place, figures);
  // It resumes by itself when its server is back.
  if (killsServer && order === 1) {
    await killServer(place, figures);
    await place.server?.start();
    await awaitMoment(importing, child);
  }
  const isKilled = isRunning(child) && child.kill("SIGKILL");
  const { code, out } = await ended;
  if (killsServer && order === 2) await killServer(place, figures);
  await place.server?.start();
  if (!isKilled || code !== -1) return out;
  figures.kills += 1;
  const noted = readNoted(importing);
  if (noted.rows > 0) figures.killsInProgress += 1;
  if (countChanges(place) - writtenBefore > noted.written - notedBefore)
    figures.killsAheadOfNote += 1;
  return undefined;
}

async function killServer({ server }: Place, figures: RoundFigures): Promise<void> {
  await server?.kill();
  figures.serverKills += 1;
}

function countChanges({ databasePath }: Place): number {
  const database = new DatabaseSync(databasePath, { readOnly: true, timeout: 10_000 });
  try {
    return Number(database.prepare("SELECT count(*) AS count FROM change").get()?.["count"]);
  } finally {
    database.close();
  }
}
