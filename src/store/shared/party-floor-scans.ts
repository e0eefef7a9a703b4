// Passes over the records of organizations that find until when the records which name persons and companies have to be
// kept unredacted. One pass serves all deletions of an organization that were waiting when it began; later ones share
// the next pass. A pass exists only in memory and begins again after a restart, because nothing depends on it yet.
//
// Passes advance a slice at a time, before deletions are claimed. A pass sees every change that had arrived when it
// began; what was changed later is searched in the transaction that plans (../sql/plan/party-obstacle.ts).

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { mergeFloors, type RetentionFloor } from "../../domain/retention/floor.ts";
import type { Claim } from "../interface/deletion.ts";
import type {
  PartyFloorPage,
  PartyFloorQuery,
  PartyFindings,
  PageEnd,
} from "../interface/naming.ts";
import { changesAtOnce, restLike } from "./party-scan.ts";

/**
 * How many deletions wait for the next pass of an organization, and for passes of all organizations. Further ones are
 * claimed again later.
 */
const waitingMax = 512;
const waitingOfAllMax = 8_192;
/** The total time for which passes delay a claim. */
const sliceMsMax = 1_000;

/** What these passes need from an engine. */
export interface PartyFloorSource {
  /** The floor rules that apply. */
  listFloors(organizationId: string): Promise<readonly RetentionFloor[]>;
  /** A number that no change visible by now exceeds, and every later change does. */
  latestArrival(): Promise<number>;
  readPage(query: PartyFloorQuery): Promise<PartyFloorPage>;
  /** Prevents the deletions from being claimed before that time. */
  extend(ids: readonly string[], until: number): Promise<void>;
  store(findings: PartyFindings): Promise<void>;
}

interface Pass {
  readonly deletions: readonly Deletion[];
  readonly floors: readonly RetentionFloor[];
  readonly upTo: number;
  after: PageEnd | undefined;
  latest: PartyFloorPage["latest"];
}

interface Passes {
  /** The keys are the ids of the deletions. */
  readonly waiting: Map<string, Deletion>;
  current: Pass | undefined;
}

export class PartyFloorScans {
  readonly #source: PartyFloorSource;
  /** The keys are organizations, in the order of their turns. */
  readonly #passes = new Map<string, Passes>();

  constructor(source: PartyFloorSource) {
    this.#source = source;
  }

  get isBusy(): boolean {
    return this.#passes.size > 0;
  }

  /** Adds these deletions to the next pass, unless too many are waiting. */
  add(deletions: readonly Deletion[]): void {
    let waitingOfAll = this.#passes.values().reduce((sum, one) => sum + one.waiting.size, 0);
    for (const deletion of deletions) {
      const { organizationId, deletionRequestId: id } = deletion;
      const passes = this.#passes.get(organizationId) ?? { waiting: new Map(), current: undefined };
      const isRead = passes.current?.deletions.some((one) => one.deletionRequestId === id);
      if (isRead === true || passes.waiting.has(id)) continue;
      if (passes.waiting.size >= waitingMax || waitingOfAll >= waitingOfAllMax) continue;
      waitingOfAll += 1;
      passes.waiting.set(id, deletion);
      this.#passes.set(organizationId, passes);
    }
  }

  /**
   * Advances the passes for a limited time, organizations in turn. If that fails, the deletions are claimed again
   * later.
   */
  async advance(claim: Claim): Promise<void> {
    const until = performance.now() + sliceMsMax;
    for (const [organizationId, passes] of this.#passes) {
      this.#passes.delete(organizationId);
      if (await this.#advanceOne(organizationId, passes, { claim, until })) {
        this.#passes.set(organizationId, passes);
      }
      if (performance.now() > until) return;
    }
  }

  /** False if nothing is left to read. */
  async #advanceOne(
    organizationId: string,
    passes: Passes,
    { claim, until }: { readonly claim: Claim; readonly until: number },
  ): Promise<boolean> {
    const source = this.#source;
    const pass = (passes.current ??= await this.#begin(organizationId, passes));
    const { deletions, floors } = pass;
    const ids = [...deletions.map((one) => one.deletionRequestId), ...passes.waiting.keys()];
    await source.extend(ids, claim.leaseUntil);
    const parties = [...new Set(deletions.map(({ resourceId }) => resourceId))];
    const query = { organizationId, parties, floors, changesMax: changesAtOnce };
    for (;;) {
      const beganAt = performance.now();
      const page = await source.readPage({ ...query, after: pass.after });
      pass.latest = mergeFloors(pass.latest, page.latest);
      pass.after = page.last;
      if (pass.after === undefined) break;
      await restLike(beganAt);
      if (performance.now() > until) return true;
    }
    passes.current = undefined;
    const at = await source.latestArrival();
    const findings = deletions.map(({ deletionRequestId, resourceId }) => {
      const finding = { floors, upTo: pass.upTo, at, latest: pass.latest.get(resourceId) };
      return [deletionRequestId, finding] as const;
    });
    await source.store(findings);
    return passes.waiting.size > 0;
  }

  async #begin(organizationId: string, passes: Passes): Promise<Pass> {
    const deletions = [...passes.waiting.values()];
    passes.waiting.clear();
    const floors = await this.#source.listFloors(organizationId);
    const upTo = await this.#source.latestArrival();
    return { deletions, floors, upTo, after: undefined, latest: new Map() };
  }
}
