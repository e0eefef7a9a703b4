// The scan for records that name persons or companies which are being erased. One pass over the records of an
// organization serves all of its deletions that are ready for it. It adds what it finds to their plans; a pass that
// finds nothing for a deletion verifies it. Erases nothing.
//
// A pass reads page by page, each in a separate short transaction, pauses in between, and is interrupted after a time.
// Its position is stored with the deletions, so that it continues after a crash. It finds records that arrived before
// it began; the verification pass that completes the deletion finds later ones.

import { setTimeout as sleep } from "node:timers/promises";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { nodeKey } from "../../domain/deletion/erasure.ts";
import type {
  Naming,
  NamingPage,
  NamingQuery,
  NamingTarget,
  PartyErasure,
  Pass,
  Place,
  ScanProgress,
} from "../interface/naming.ts";

/** Records of a page: reading it takes a few milliseconds. */
const recordsAtOnce = 1_000;
/** Targets that one transaction adds to a plan. */
const targetsAtOnce = 200;
/** After this time, or this many targets, the caller erases the records found, renews its lease, or stops. */
const scanMsMax = 1_000;
const targetsMax = 10_000;
/** Between two pages it rests for as long as the page took, so that half of the time is left to others. */
const restMsMax = 50;

export interface PartyErasing {
  readonly deletion: Deletion;
  readonly erasure: PartyErasure;
}

/** What an engine does for a scan. */
export interface ScanSource {
  /** A number that no change exceeds which is visible by now, and every later one does. */
  latestArrival(): Promise<number>;
  readPage(query: NamingQuery): Promise<NamingPage>;
  /** `obstacle`: one of the records is held, and the deletion was put off. */
  addTargets(deletion: Deletion, targets: readonly NamingTarget[]): Promise<"added" | "obstacle">;
  note(deletion: Deletion, progress: ScanProgress): Promise<void>;
}

/**
 * `verified`: no record named the party when the pass read it. `found`: the pass has ended, and records that it found
 * have to be rewritten. `scanning`: it has not ended. `held`: a hold protects one that it found. With a cause: it
 * failed.
 */
export type ScanResult = "verified" | "found" | "scanning" | "held" | { readonly cause: unknown };

/** The key is the id of the deletion. */
export type ScanResults = ReadonlyMap<string, ScanResult>;

export async function scanForParties(
  source: ScanSource,
  erasing: readonly PartyErasing[],
): Promise<ScanResults> {
  const results = new Map<string, ScanResult>();
  const open: PartyErasing[] = [];
  for (const one of erasing) {
    if (one.erasure.verifiedTo === undefined) open.push(one);
    else results.set(one.deletion.deletionRequestId, "verified");
  }
  const byOrganization = Map.groupBy(open, ({ deletion }) => deletion.organizationId);
  for (const [organizationId, some] of byOrganization) {
    await new PartyPass(source, organizationId, { erasing: some, results }).run();
  }
  return results;
}

class PartyPass {
  readonly #source: ScanSource;
  readonly #organizationId: string;
  readonly #results: Map<string, ScanResult>;
  readonly #upTo: number | undefined;
  /** Those that no hold has stopped. */
  #erasing: readonly PartyErasing[];
  #after: Place | undefined;
  readonly #found = new Set<Deletion>();
  #targets = 0;

  constructor(
    source: ScanSource,
    organizationId: string,
    parts: {
      readonly erasing: readonly PartyErasing[];
      readonly results: Map<string, ScanResult>;
    },
  ) {
    this.#source = source;
    this.#organizationId = organizationId;
    this.#results = parts.results;
    this.#erasing = parts.erasing;
    const passes = parts.erasing.map(({ erasure }) => erasure.pass);
    const [pass] = passes;
    // One that has not come as far needs the whole pass, and the others lose nothing but time.
    if (pass === undefined || !passes.every((other) => isSame(pass, other))) return;
    this.#upTo = pass.upTo;
    this.#after = pass.after;
    for (const { deletion, erasure } of parts.erasing) {
      if (erasure.pass?.found === true) this.#found.add(deletion);
    }
  }

  async run(): Promise<void> {
    const upTo = this.#upTo ?? (await this.#source.latestArrival());
    const startedAt = performance.now();
    for (;;) {
      const beganAt = performance.now();
      const page = await this.#source.readPage({
        organizationId: this.#organizationId,
        parties: [...new Set(this.#erasing.map(({ deletion }) => deletion.resourceId))],
        after: this.#after,
        recordsMax: recordsAtOnce,
      });
      await this.#addAll(page.namings);
      this.#after = page.last;
      if (page.last === undefined || this.#erasing.length === 0) return this.#end(upTo);
      const now = performance.now();
      if (now - startedAt > scanMsMax || this.#targets >= targetsMax) return this.#interrupt(upTo);
      await sleep(Math.min(now - beganAt, restMsMax));
    }
  }

  async #addAll(namings: readonly Naming[]): Promise<void> {
    for (const { deletion } of this.#erasing) {
      const reference = nodeKey(deletion.resourceType, deletion.resourceId);
      const targets = namings
        .filter(({ parties }) => parties.includes(deletion.resourceId))
        .map(({ resourceType, resourceId }) => ({
          record: nodeKey(resourceType, resourceId),
          reference,
          restricted: false as const,
        }));
      if (targets.length > 0) await this.#add(deletion, targets);
    }
  }

  async #add(deletion: Deletion, targets: readonly NamingTarget[]): Promise<void> {
    this.#found.add(deletion);
    this.#targets += targets.length;
    for (let at = 0; at < targets.length; at += targetsAtOnce) {
      const part = targets.slice(at, at + targetsAtOnce);
      const added = await this.#source
        .addTargets(deletion, part)
        .catch((cause: unknown) => ({ cause }));
      if (added === "added") continue;
      this.#results.set(deletion.deletionRequestId, added === "obstacle" ? "held" : added);
      this.#erasing = this.#erasing.filter((other) => other.deletion !== deletion);
      return;
    }
  }

  async #note(deletion: Deletion, progress: ScanProgress, result: ScanResult): Promise<void> {
    const noted = this.#source.note(deletion, progress).then(() => result);
    const { deletionRequestId } = deletion;
    this.#results.set(deletionRequestId, await noted.catch((cause: unknown) => ({ cause })));
  }

  async #interrupt(upTo: number): Promise<void> {
    for (const { deletion } of this.#erasing) {
      const pass = { upTo, after: this.#after, found: this.#found.has(deletion) };
      await this.#note(deletion, { pass }, "scanning");
    }
  }

  async #end(upTo: number): Promise<void> {
    for (const { deletion } of this.#erasing) {
      const found = this.#found.has(deletion);
      if (found) await this.#note(deletion, { pass: undefined }, "found");
      else await this.#note(deletion, { verifiedTo: upTo }, "verified");
    }
  }
}

function isSame(one: Pass, other: Pass | undefined): boolean {
  return (
    one.upTo === other?.upTo &&
    one.after?.resourceType === other.after?.resourceType &&
    one.after?.resourceId === other.after?.resourceId
  );
}
