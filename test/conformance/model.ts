// A store in a few maps: the expected result of any sequence of writes, deletions and holds, as
// simply as possible. Shares no code with the engines or with the erasure plan of the domain.

import { makeDraft, referencesOf } from "../../src/domain/record/payload.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import type {
  DraftOutcome,
  RecordWrite,
  WriteOutcome,
} from "../../src/domain/record/record-write.ts";
import { typeNamed } from "./scene.ts";

/** `type/id` */
export type Name = string;

export interface ModelDeletion {
  readonly id: string;
  readonly root: Name;
  status: "pending" | "completed" | "cancelled";
  erased: Record<string, number>;
  redacted: number;
  /** When it can be tried, or tried again. */
  since: number;
  waitingFor: string | undefined;
}

const refusals: ReadonlySet<DraftOutcome> = new Set([
  "identical_record_exists",
  "record_exists",
  "no_such_record",
  "deletion_open",
]);

export class Model {
  /** The payloads of each record, in order of arrival. */
  readonly records = new Map<Name, readonly Payload[]>();
  readonly deletions: ModelDeletion[] = [];
  /** The number of holds on each record. */
  readonly holds = new Map<Name, number>();

  write(
    resourceType: string,
    payloads: readonly Payload[],
    { mode, lenient }: Pick<RecordWrite, "mode" | "lenient">,
  ): WriteOutcome {
    const before = new Map(this.records);
    const drafts = payloads.map((payload) => this.#writeOne(resourceType, payload, mode));
    if (!lenient && drafts.some((outcome) => refusals.has(outcome))) {
      this.records.clear();
      for (const [name, changes] of before) this.records.set(name, changes);
      return { written: 0, drafts };
    }
    const written = drafts.filter((outcome) => outcome === "created" || outcome === "updated");
    return { written: written.length, drafts };
  }

  #writeOne(resourceType: string, payload: Payload, mode: RecordWrite["mode"]): DraftOutcome {
    const name = `${resourceType}/${String(payload[typeNamed(resourceType).idField])}`;
    if (this.#openDeletion(name) !== undefined) return "deletion_open";
    const changes = this.records.get(name);
    if (changes === undefined) {
      if (mode === "update") return "no_such_record";
      this.records.set(name, [payload]);
      return "created";
    }
    const identical = changes.some((change) => textOf(name, change) === textOf(name, payload));
    if (mode === "add") return identical ? "identical_record_exists" : "record_exists";
    if (mode === "append" && identical) return "unchanged";
    this.records.set(name, [...changes, payload]);
    return "updated";
  }

  request(root: Name, id: string, now: number): string | undefined {
    const open = this.#openDeletion(root);
    if (open !== undefined) return open.id;
    if (!this.records.has(root)) return undefined;
    const fresh = { status: "pending", erased: {}, redacted: 0, waitingFor: undefined } as const;
    this.deletions.push({ ...fresh, erased: {}, id, root, since: now });
    return id;
  }

  cancel(id: string): boolean {
    const deletion = this.deletions.find((one) => one.id === id);
    if (deletion?.status !== "pending") return false;
    deletion.status = "cancelled";
    deletion.waitingFor = undefined;
    return true;
  }

  hold(name: Name): boolean {
    if (!this.records.has(name)) return false;
    this.holds.set(name, (this.holds.get(name) ?? 0) + 1);
    return true;
  }

  release(name: Name): boolean {
    const count = this.holds.get(name) ?? 0;
    if (count === 0) return false;
    if (count === 1) this.holds.delete(name);
    else this.holds.set(name, count - 1);
    for (const deletion of this.deletions) {
      if (deletion.status === "pending" && deletion.waitingFor !== undefined) deletion.since = 0;
    }
    return true;
  }

  /** Processes what can be processed at `now`; the rest can be tried again `retryMs` later. */
  processDue(now: number, retryMs: number): void {
    const due = this.deletions.filter(({ status, since }) => status === "pending" && since <= now);
    due.sort((one, another) => one.since - another.since || (one.id < another.id ? -1 : 1));
    for (const deletion of due) this.#processOne(deletion, now + retryMs);
  }

  #processOne(deletion: ModelDeletion, retryAt: number): void {
    const gone = this.#whatGoes(deletion.root);
    const staying = [...this.records.keys()].filter((name) => !gone.has(name));
    const redactions = staying.flatMap((name) =>
      [...this.#references(name)].filter((to) => gone.has(to)).map((to) => ({ name, to })),
    );
    const held = [...gone, ...redactions.map(({ name }) => name)].filter((name) =>
      this.holds.has(name),
    );
    if (held.length > 0) {
      deletion.waitingFor = "a hold";
      deletion.since = retryAt;
      return;
    }
    for (const name of gone) this.#eraseOne(deletion, name);
    for (const { name } of redactions) {
      const changes = this.records.get(name) ?? [];
      this.records.set(
        name,
        changes.map((payload) => redact(name, payload, gone)),
      );
    }
    deletion.redacted = redactions.length;
    deletion.status = "completed";
    deletion.waitingFor = undefined;
  }

  #eraseOne(deletion: ModelDeletion, name: Name): void {
    if (!this.records.delete(name)) return;
    const type = typeOf(name);
    deletion.erased[type] = (deletion.erased[type] ?? 0) + 1;
  }

  /** Repeats until nothing changes: adds whatever belongs to a target and to nothing that stays. */
  #whatGoes(root: Name): ReadonlySet<Name> {
    const gone = new Set([root]);
    for (let before = 0; before !== gone.size;) {
      before = gone.size;
      for (const name of this.records.keys()) {
        const owners = [...this.#references(name, "belongs")];
        if (owners.length > 0 && owners.every((owner) => gone.has(owner))) gone.add(name);
      }
    }
    return gone;
  }

  #references(name: Name, onlyKind?: "belongs"): ReadonlySet<Name> {
    const all = (this.records.get(name) ?? []).flatMap((payload) =>
      referencesOf(typeNamed(typeOf(name)), payload),
    );
    const wanted = all.filter(({ kind }) => onlyKind === undefined || kind === onlyKind);
    return new Set(wanted.map(({ to, id }) => `${to}/${id}`));
  }

  #openDeletion(root: Name): ModelDeletion | undefined {
    return this.deletions.find((one) => one.root === root && one.status === "pending");
  }
}

export function textOf(name: Name, payload: Payload): string {
  return makeDraft(typeNamed(typeOf(name)), payload).payload;
}

function typeOf(name: Name): string {
  return name.slice(0, name.indexOf("/"));
}

function redact(name: Name, payload: Payload, gone: ReadonlySet<Name>): Payload {
  const left: Record<string, unknown> = { ...payload };
  for (const { field, to } of typeNamed(typeOf(name)).relations) {
    const value = left[field];
    const goes = (id: unknown) => gone.has(`${to}/${String(id)}`);
    if (Array.isArray(value)) left[field] = value.filter((id) => !goes(id));
    else if (value !== undefined && goes(value)) delete left[field];
  }
  return left;
}
