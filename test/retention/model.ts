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
  /** Undefined if the change does not say. */
  readonly closed: boolean | undefined;
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
  readonly keepMs: number;
  readonly from: FloorOrigin;
}

export class RetentionModel {
  readonly records = new Map<Name, readonly ModelChange[]>();
  readonly deletions: ModelDeletion[] = [];
  readonly held = new Set<Name>();
  /** By type. */
  readonly rules = new Map<string, ModelRule>();
  /**
   * When a record was last written, or erased from a closed organization: since then a deletion may be able to go ahead earlier
   * than it was told.
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

  /** Why this deletion must not begin at this time; undefined if nothing prevents it. */
  obstacle({ root, requestedAt, dueAt }: ModelDeletion, now: number): string | undefined {
    if (dueAt > now) return "its grace period";
    const gone = root === undefined ? new Set(this.records.keys()) : this.cascade(root);
    for (const name of this.records.keys()) {
      const isAffected = gone.has(name) || this.#refersTo(name, gone);
      if (isAffected && this.held.has(name)) return `a hold on ${name}`;
    }
    for (const name of gone) {
      const until = this.#floorOf(name, requestedAt);
      if (until > now) return `the floor of ${name} until ${until}`;
    }
    return undefined;
  }

  /** The records that go with this one: those that belong to what goes, and to nothing else. */
  cascade(root: Name): ReadonlySet<Name> {
    const gone = new Set([root]);
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
      // The deletions of single records have nothing left to wait for.
      for (const other of this.deletions) other.dueAt = Math.min(other.dueAt, now);
      return;
    }
    if (this.isClosed) this.writtenAt = now;
    const gone = this.cascade(deletion.root);
    for (const name of gone) this.records.delete(name);
    const stays = (name: Name) => !gone.has(name);
    for (const [name, changes] of this.records) {
      const left = changes.map((change) => ({
        ...change,
        belongs: change.belongs.filter(stays),
        mentions: change.mentions.filter(stays),
      }));
      this.records.set(name, left);
    }
  }

  countByType(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const type of [...this.records.keys()].map(typeOf).sort()) {
      counts[type] = (counts[type] ?? 0) + 1;
    }
    return counts;
  }

  #refersTo(name: Name, gone: ReadonlySet<Name>): boolean {
    const changes = this.records.get(name) ?? [];
    return changes.some(({ belongs, mentions }) =>
      [...belongs, ...mentions].some((to) => gone.has(to)),
    );
  }

  #floorOf(name: Name, requestedAt: number): number {
    const rule = this.rules.get(typeOf(name));
    const changes = this.records.get(name);
    if (rule === undefined || changes === undefined) return 0;
    if (rule.from === "last_seen") return Math.max(...changes.map(({ at }) => at)) + rule.keepMs;
    return (closedSince(changes) ?? requestedAt) + rule.keepMs;
  }
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
