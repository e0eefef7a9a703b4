// Runs the step that finds records which name erased persons or companies (../sql/erase/parties.ts), for as many pages
// as one call may read. A page is read in parallel with other work, and stored in a short transaction if anything was
// found on it.
//
// The step finds records that arrived before the pass began; the verification pass that completes the deletion finds
// later ones.

import { setTimeout as sleep } from "node:timers/promises";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { namingTypes } from "../../domain/deletion/party.ts";
import { AppError } from "../../domain/error.ts";
import type {
  NamingPage,
  NamingQuery,
  PartyStep,
  PageEnd,
  ScannedPage,
  ScanResult,
  ScanResults,
} from "../interface/naming.ts";

/** Changes of a page: reading it takes a few milliseconds. */
export const changesAtOnce = 1_000;
/** How many records one transaction adds to plans. */
const foundAtOnce = 200;
/** After this time the caller serves other work, or stops. */
const scanMsMax = 1_000;
/** Between two pages the scan pauses for as long as the page took, so that half of the time is left for other work. */
const restMsMax = 50;

const beginning: PageEnd = { resourceType: namingTypes[0]?.resourceType ?? "", resourceId: "" };

/** What a scan needs from an engine. */
export interface ScanSource {
  /** Finds those of these deletions that erase a person or a company. */
  findDeletions(ids: readonly string[]): Promise<readonly Deletion[]>;
  /** A number that no change visible by now exceeds, and every later change does. */
  latestArrival(): Promise<number>;
  readPage(query: NamingQuery): Promise<NamingPage>;
  /** Runs in a transaction in which nobody else changes these deletions or their plans. */
  takeStep(ids: readonly string[], page: ScannedPage | undefined): Promise<PartyStep>;
}

/** The results of those of these deletions that erase a person or a company. */
export async function scanForParties(
  ids: readonly string[],
  source: ScanSource,
): Promise<ScanResults> {
  const found = await source.findDeletions(ids);
  const results = new Map<string, ScanResult>();
  for (const [, some] of Map.groupBy(found, ({ organizationId }) => organizationId)) {
    for (const [id, result] of await scanTogether(source, some)) results.set(id, result);
  }
  return results;
}

/**
 * If one of several fails, each is scanned separately. If the server can't be reached, each of them would wait for it.
 */
async function scanTogether(
  source: ScanSource,
  deletions: readonly Deletion[],
): Promise<ScanResults> {
  try {
    return await scanSome(source, deletions);
  } catch (cause) {
    const results = new Map<string, ScanResult>();
    const isOneByOne = deletions.length > 1 && !(cause instanceof AppError);
    for (const one of deletions) {
      const alone = isOneByOne ? await scanTogether(source, [one]) : undefined;
      results.set(one.deletionRequestId, alone?.get(one.deletionRequestId) ?? { cause });
    }
    return results;
  }
}

/** Scans until the pass has ended, or for a limited time. */
async function scanSome(source: ScanSource, deletions: readonly Deletion[]): Promise<ScanResults> {
  const until = performance.now() + scanMsMax;
  const byId = new Map(deletions.map((deletion) => [deletion.deletionRequestId, deletion]));
  const { results: begun, pass } = await source.takeStep([...byId.keys()], undefined);
  const results = new Map(begun);
  const open = () => [...results].flatMap(([id, result]) => (result === "scanning" ? [id] : []));
  if (open().length === 0) return results;
  const upTo = pass?.upTo ?? (await source.latestArrival());
  for (let after: PageEnd = pass?.after ?? beginning; ;) {
    const some = open().flatMap((id) => byId.get(id) ?? []);
    const [first] = some;
    if (first === undefined) return results;
    const parties = [...new Set(some.map(({ resourceId }) => resourceId))];
    const query = { organizationId: first.organizationId, parties, changesMax: changesAtOnce };
    const page = await readPages(source, { ...query, after }, until);
    for (const part of partsOf({ ...page, upTo }, after)) {
      const step = await source.takeStep(open(), part);
      for (const [id, result] of step.results) results.set(id, result);
    }
    if (page.last === undefined || performance.now() > until) return results;
    after = page.last;
  }
}

/** Reads until a page contains something, until the last page, or until the time is over. */
async function readPages(
  source: ScanSource,
  query: NamingQuery,
  until: number,
): Promise<NamingPage> {
  for (let { after } = query; ;) {
    const beganAt = performance.now();
    const page = await source.readPage({ ...query, after });
    const endedAt = await restLike(beganAt);
    if (page.namings.length > 0 || page.last === undefined || endedAt > until) return page;
    after = page.last;
  }
}

/** Pauses for as long as the work since then took; returns the time when the pause ended. */
export async function restLike(beganAt: number): Promise<number> {
  const endedAt = performance.now();
  await sleep(Math.min(endedAt - beganAt, restMsMax));
  return endedAt;
}

/**
 * Divides a page into the parts that single transactions store. Only the last part stores the progress: after a crash
 * before that, the page is read again.
 */
function* partsOf(page: ScannedPage, after: PageEnd): Iterable<ScannedPage> {
  let { namings } = page;
  for (; namings.length > foundAtOnce; namings = namings.slice(foundAtOnce)) {
    yield { ...page, namings: namings.slice(0, foundAtOnce), last: after };
  }
  yield { ...page, namings };
}
