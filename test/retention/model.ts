// What one organization must have kept and may have erased, as simply as possible: every question is
// answered by going through all records again. Shares no code with the engines or the domain.

import type { FloorOrigin } from "../../src/domain/retention/floor.ts";

/** `type/id` */
export type Name = string;

/** A change of a record; `at` is in milliseconds, and changes are in the order of arrival. */
export interface ModelChange {
  readonly at: number;
  /** What it belongs to, and what it only mentions. */
  readonly belongs: readonly Name[];
  readonly mentions: readonly Name[];
  /** The persons and companies that a transaction names, as they were sent; undefined for those that were erased. */
  readonly parties: readonly (Name | undefined)[];
  /** Undefined if the change does not say. */
  readonly closed: boolean | undefined;
  /** When the report was filed; null if the time was cleared. Undefined if the change does not say. */
  readonly filedAt: number | null | undefined;
}

/** When the holds on a record end. */
export type HoldEnds = Map<Name, readonly number[]>;

/** What a deletion had to keep. */
export interface ModelSet {
  readonly requestedAt: number;
  readonly records: ReadonlyMap<Name, readonly ModelChange[]>;
  readonly held: Set<Name>;
  readonly holdEnds: HoldEnds;
  /** Reports that did not move with it and refer to what was erased: where each is; nothing for the organization. */
  readonly reports: Map<Name, string>;
}

export interface ModelDeletion {
  readonly id: string;
  /** Undefined for the deletion of everything of the closed organization. */
  readonly root: Name | undefined;
  readonly requestedAt: number;
  dueAt: number;
  status: "pending" | "completed" | "cancelled";
}

export interface ModelRule {
  /** 0 without a floor. */
  readonly keepMs: number;
  readonly from: FloorOrigin;
  /** Whether references may be taken out of records that have to be kept. */
  readonly redactable: boolean;
  /** Undefined without a ceiling. */
  readonly eraseMs: number | undefined;
}

export class RetentionModel {
  readonly records = new Map<Name, readonly ModelChange[]>();
  readonly deletions: ModelDeletion[] = [];
  readonly held = new Set<Name>();
  readonly holdEnds: HoldEnds = new Map();
  /** By deletion. */
  readonly sets = new Map<string, ModelSet>();
  /** By type. */
  readonly rules = new Map<string, ModelRule>();
  /** The ceiling of types without their own. */
  retainMs: number | undefined;
  /**
   * When a record was last written, or erased so that others may have waited for it in vain: since then a deletion may
   * be able to go ahead earlier than it was told.
   */
  writtenAt = 0;
  /** When a deletion was last begun. */
  begunAt = 0;

  get isClosed(): boolean {
    return this.deletions.some(({ root }) => root === undefined);
  }

  openDeletion(root: Name): ModelDeletion | undefined {
    return this.deletions.find((one) => one.root === root && one.status === "pending");
  }

  /** Why this deletion must not begin at this time, with others; undefined if nothing prevents it. */
  obstacle(
    { root, requestedAt, dueAt }: Omit<ModelDeletion, "id" | "status">,
    now: number,
    others: readonly Name[] = [],
  ): string | undefined {
    if (dueAt > now) return "its grace period";
    const gone = root === undefined ? new Set(this.records.keys()) : this.cascade(root, ...others);
    for (const name of this.records.keys()) {
      const isAffected = gone.has(name) || this.#isRewritten(name, gone);
      if (isSilent(name, root)) continue;
      if (isAffected && this.held.has(name)) return `a hold on ${name}`;
    }
    for (const name of this.records.keys()) {
      const isStrict = this.rules.get(typeOf(name))?.redactable === false;
      if (!gone.has(name) && !(isStrict && this.#isRewritten(name, gone))) continue;
      if (isSilent(name, root)) continue;
      const until = this.#floorOf(name, requestedAt);
      if (until > now) return `the floor of ${name} until ${until}`;
    }
    return undefined;
  }

  /**
   * Whether an alert is gone whose own deletion is pending. If both were processed at the same time, both would keep
   * the reference of a report to the alert, each in a set of its own, and either could move the alert to its set.
   */
  hasSharedAlert(): boolean {
    const alerts = this.deletions.filter(
      ({ root = "", status }) => status === "pending" && isAlert(root),
    );
    return alerts.some(({ root = "" }) => !this.records.has(root));
  }

  /** Ends the holds whose time has passed. */
  endHolds(now: number): void {
    for (const { held, holdEnds } of [this, ...this.sets.values()]) {
      for (const [name, ends] of holdEnds) {
        const left = ends.filter((end) => end > now);
        holdEnds.set(name, left);
        if (left.length === 0) held.delete(name);
      }
    }
  }

  /** The records whose deletion has to be requested now, because their ceiling has passed. */
  expired(now: number): readonly Name[] {
    if (this.isClosed) return [];
    return [...this.records.keys()].filter(
      (name) =>
        this.#isPastCeiling(name, now) &&
        !this.held.has(name) &&
        this.openDeletion(name) === undefined &&
        this.obstacle({ root: name, requestedAt: now, dueAt: now }, now) === undefined,
    );
  }

  #isPastCeiling(name: Name, now: number): boolean {
    const { eraseMs, from = "last_seen" } = this.rules.get(typeOf(name)) ?? {};
    const changes = this.records.get(name) ?? [];
    if (eraseMs !== undefined) return (beginning(changes, from) ?? Infinity) + eraseMs <= now;
    const { retainMs } = this;
    if (retainMs === undefined || lastSeen(changes) + retainMs >= now) return false;
    return ![...this.#descendants(name)].some(
      (other) => lastSeen(this.records.get(other) ?? []) + retainMs >= now,
    );
  }

  /** What belongs to it at any depth, without reports and what belongs only to these. */
  #descendants(root: Name): ReadonlySet<Name> {
    const found = new Set<Name>();
    this.#addBelonging(root, found);
    // Iterating over a set includes the elements that are added meanwhile.
    for (const holder of found) this.#addBelonging(holder, found);
    return found;
  }

  #addBelonging(holder: Name, found: Set<Name>): void {
    for (const [name, changes] of this.records) {
      const belongs = changes.some((change) => change.belongs.includes(holder));
      if (belongs && !isConfidential(name)) found.add(name);
    }
  }

  /** The records that go with this one: those that belong to what goes, and to nothing else. */
  cascade(...roots: readonly Name[]): ReadonlySet<Name> {
    const gone = new Set(roots);
    for (let size = 0; size < gone.size;) {
      size = gone.size;
      for (const [name, changes] of this.records) {
        const owners = changes.flatMap(({ belongs }) => belongs);
        if (owners.length > 0 && owners.every((owner) => gone.has(owner))) gone.add(name);
      }
    }
    return gone;
  }

  erase(deletion: ModelDeletion, now: number): void {
    deletion.status = "completed";
    this.begunAt = now;
    if (deletion.root === undefined) {
      this.records.clear();
      this.writtenAt = now;
      for (const { reports } of this.sets.values()) {
        for (const [report, where] of reports) if (where === "") reports.delete(report);
      }
      // The deletions of single records have nothing left to wait for.
      for (const other of this.deletions) other.dueAt = Math.min(other.dueAt, now);
      return;
    }
    const gone = this.cascade(deletion.root);
    // A floor that counts from a request may have ended for this deletion earlier than for one that waits for it.
    const isFromRequest = [...gone].some((name) => {
      const { from = "last_seen" } = this.rules.get(typeOf(name)) ?? {};
      return from !== "last_seen";
    });
    if (this.isClosed || isFromRequest) this.writtenAt = now;
    this.#restrict(deletion, gone, now);
    for (const name of gone) this.records.delete(name);
    const stays = (name: Name) => !gone.has(name);
    const renamed = [...this.records].filter(([, changes]) =>
      changes.some(({ parties }) => parties.includes(deletion.root)),
    );
    for (const [name, changes] of this.records) {
      const left = changes.map((change) => ({
        ...change,
        belongs: change.belongs.filter(stays),
        mentions: change.mentions.filter(stays),
        parties: change.parties.map((one) => (one === deletion.root ? undefined : one)),
      }));
      this.records.set(name, left);
    }
    this.#keepPseudonyms(deletion, new Set(renamed.map(([name]) => name)), now);
  }

  /** A report that has to be kept also keeps for whom a pseudonym in its transactions stands. */
  #keepPseudonyms(
    { id, requestedAt }: ModelDeletion,
    renamed: ReadonlySet<Name>,
    now: number,
  ): void {
    const names = (name: Name) => (this.records.get(name) ?? []).flatMap(({ belongs }) => belongs);
    const isNear = (name: Name) => names(name).some((other) => renamed.has(other));
    const reports = [...this.records.keys()].filter(
      (name) =>
        isConfidential(name) &&
        (isNear(name) || names(name).some((other) => isAlert(other) && isNear(other))) &&
        (this.held.has(name) || this.#floorOf(name, requestedAt) > now),
    );
    if (reports.length === 0) return;
    const set = this.sets.get(id);
    const added = new Map([...(set?.reports ?? []), ...reports.map((name) => [name, ""] as const)]);
    const none = { requestedAt, records: new Map(), held: new Set<Name>(), holdEnds: new Map() };
    this.sets.set(id, { ...none, ...set, reports: added });
  }

  /** Moves what must be kept of what goes to a set, and follows the reports that keep other sets. */
  #restrict({ id, root, requestedAt }: ModelDeletion, gone: ReadonlySet<Name>, now: number): void {
    const obliged = [...this.records.keys()].filter(
      (name) =>
        isSilent(name, root) &&
        (gone.has(name) || this.#refersTo(name, gone)) &&
        (this.held.has(name) || this.#floorOf(name, requestedAt) > now),
    );
    const kept = new Set(obliged.filter((name) => gone.has(name)));
    for (const name of obliged) for (const other of this.#supportOf(name, gone)) kept.add(other);
    for (const name of kept) for (const other of this.#supportOf(name, gone)) kept.add(other);
    for (const { reports } of this.sets.values()) {
      for (const [report, where] of reports) {
        if (where !== "" || !gone.has(report)) continue;
        if (kept.has(report)) reports.set(report, id);
        else reports.delete(report);
      }
    }
    const staying = obliged.filter((name) => !gone.has(name));
    if (kept.size + staying.length === 0) return;
    const records = [...this.records].filter(([name]) => kept.has(name));
    const held = new Set([...kept].filter((name) => this.held.has(name)));
    const reports = new Map(staying.map((name) => [name, ""]));
    const holdEnds = new Map([...this.holdEnds].filter(([name]) => kept.has(name)));
    this.sets.set(id, { requestedAt, records: new Map(records), held, holdEnds, reports });
    for (const name of kept) {
      this.held.delete(name);
      this.holdEnds.delete(name);
    }
  }

  /** The transactions and alerts among what goes that a report, or an alert, names. */
  #supportOf(name: Name, gone: ReadonlySet<Name>): readonly Name[] {
    if (!isConfidential(name) && !/^transaction(_alert)?\//.test(name)) return [];
    const named = (this.records.get(name) ?? []).flatMap(({ belongs }) => belongs);
    return named.filter((other) => gone.has(other) && /^transaction(_alert)?\//.test(other));
  }

  /** Why a set must not be erased at this time; undefined if nothing obliges to keep it. */
  setObstacle(id: string, now: number): string | undefined {
    const set = this.sets.get(id);
    if (set === undefined) return "there is no such set";
    const { requestedAt, records, held, reports } = set;
    if (held.size > 0) return "a hold on a record of the set";
    for (const [name, changes] of records) {
      if (this.#endOf(name, changes, requestedAt) > now) return `the floor of ${name}`;
    }
    for (const [report, where] of reports) {
      const there = where === "" ? this : this.sets.get(where);
      const changes = there?.records.get(report);
      if (there === undefined || changes === undefined) continue;
      if (there.held.has(report)) return `a hold on ${report}`;
      const since = Math.max(requestedAt, this.sets.get(where)?.requestedAt ?? 0);
      if (this.#endOf(report, changes, since) > now) return `the floor of ${report}`;
    }
    return undefined;
  }

  eraseSet(id: string, now: number): void {
    this.sets.delete(id);
    this.writtenAt = now;
    for (const { reports } of this.sets.values()) {
      for (const [report, where] of reports) if (where === id) reports.delete(report);
    }
  }

  countByType(): Readonly<Record<string, number>> {
    return countTypes(this.records.keys());
  }

  countRestricted(): Readonly<Record<string, number>> {
    return countTypes([...this.sets.values()].flatMap(({ records }) => [...records.keys()]));
  }

  /** Whether erasing these records takes a reference, or the id of a party, out of this one. */
  #isRewritten(name: Name, gone: ReadonlySet<Name>): boolean {
    const changes = this.records.get(name) ?? [];
    const parties = changes.flatMap((change) => change.parties);
    return this.#refersTo(name, gone) || parties.some((one) => gone.has(one ?? ""));
  }

  #refersTo(name: Name, gone: ReadonlySet<Name>): boolean {
    const changes = this.records.get(name) ?? [];
    return changes.some(({ belongs, mentions }) =>
      [...belongs, ...mentions].some((to) => gone.has(to)),
    );
  }

  #floorOf(name: Name, requestedAt: number): number {
    const changes = this.records.get(name);
    return changes === undefined ? 0 : this.#endOf(name, changes, requestedAt);
  }

  #endOf(name: Name, changes: readonly ModelChange[], requestedAt: number): number {
    const rule = this.rules.get(typeOf(name));
    if (rule === undefined || rule.keepMs === 0) return 0;
    return (beginning(changes, rule.from) ?? requestedAt) + rule.keepMs;
  }
}

function isAlert(name: Name): boolean {
  return name.startsWith("transaction_alert/");
}

function lastSeen(changes: readonly ModelChange[]): number {
  return Math.max(...changes.map(({ at }) => at));
}

function beginning(changes: readonly ModelChange[], from: FloorOrigin): number | undefined {
  if (from === "last_seen") return lastSeen(changes);
  return from === "closed" ? closedSince(changes) : filedAt(changes);
}

function isConfidential(name: Name): boolean {
  return /^(customer_sar|transaction_suspicious_activity)\//.test(name);
}

/** A report that nobody may learn of by a delay. Everything of a closed organization waits. */
function isSilent(name: Name, root: Name | undefined): boolean {
  return root !== undefined && name !== root && isConfidential(name);
}

function countTypes(names: Iterable<Name>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const type of [...names].map(typeOf).sort()) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

function filedAt(changes: readonly ModelChange[]): number | undefined {
  const known = changes.filter((change) => change.filedAt !== undefined);
  const latest = Math.max(...known.map(({ at }) => at));
  return known.findLast(({ at }) => at === latest)?.filedAt ?? undefined;
}

/** The earliest time from which the record was closed at every later one. */
function closedSince(changes: readonly ModelChange[]): number | undefined {
  const times = [...new Set(changes.map(({ at }) => at))].sort((one, other) => one - other);
  const isClosedAt = (now: number) => {
    const known = changes.filter(({ at, closed }) => at <= now && closed !== undefined);
    const latest = Math.max(...known.map(({ at }) => at));
    return known.findLast(({ at }) => at === latest)?.closed === true;
  };
  return times.find((time) => times.every((later) => later < time || isClosedAt(later)));
}

export function typeOf(name: Name): string {
  return name.slice(0, name.indexOf("/"));
}
