// The records of a group during its evaluation: what was stored before and what the group adds. A refused strict list
// is rolled back.

import {
  type Draft,
  keyText,
  type RecordKey,
  type RecordWrite,
  type Reference,
} from "../../domain/record/record-write.ts";

/** The state as stored. */
export interface KnownRecord {
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** The state to store; `created` if the record did not exist. */
export interface RecordOfGroup extends KnownRecord {
  readonly record: RecordKey;
  readonly created: boolean;
}

export interface ChangeOfGroup {
  readonly record: RecordKey;
  readonly write: RecordWrite;
  readonly draft: Draft;
  /** The first change of its record. */
  readonly first: boolean;
}

type NewChange = Omit<ChangeOfGroup, "first">;

export class RecordsOfGroup {
  readonly #known: ReadonlyMap<string, KnownRecord>;
  readonly #states = new Map<string, RecordOfGroup>();
  readonly #changes: ChangeOfGroup[] = [];
  /**
   * The payloads that this group adds, by the key of the record: nearly always a single one, otherwise how many changes
   * have each payload.
   */
  readonly #payloads = new Map<string, string | Map<string, number>>();
  /** The states before the current list; undefined for records that it created. */
  #before = new Map<string, RecordOfGroup | undefined>();
  #changesBefore = 0;

  constructor(known: ReadonlyMap<string, KnownRecord>) {
    this.#known = known;
  }

  get changes(): readonly ChangeOfGroup[] {
    return this.#changes;
  }

  /** The records to insert, in the order of their keys, so that two processes can't deadlock. */
  get created(): readonly RecordOfGroup[] {
    return this.#list((_, state) => state.created);
  }

  /** The records to update, because they were seen earlier or later than before; in the same order. */
  get widened(): readonly RecordOfGroup[] {
    return this.#list((key, { created, firstSeen, lastSeen }) => {
      const known = this.#known.get(key);
      return !created && (known?.firstSeen !== firstSeen || known.lastSeen !== lastSeen);
    });
  }

  exists(key: string): boolean {
    return this.#states.has(key) || this.#known.has(key);
  }

  /** True if a change of this group has this payload. */
  hasIdentical(key: string, payload: string): boolean {
    const found = this.#payloads.get(key);
    if (found === undefined || typeof found === "string") return found === payload;
    return (found.get(payload) ?? 0) > 0;
  }

  create(key: string, { record, write, draft }: NewChange): void {
    const { timestamp } = draft;
    this.#set(key, {
      record,
      created: true,
      firstSeen: timestamp,
      lastSeen: timestamp,
    });
    this.#push(key, { record, write, draft, first: true });
  }

  append(key: string, { record, write, draft }: NewChange): void {
    const state = this.#states.get(key);
    const before = state ?? this.#known.get(key);
    if (before === undefined) throw new TypeError("a change of a record that does not exist");
    const { timestamp } = draft;
    this.#set(key, {
      record,
      created: state?.created ?? false,
      firstSeen: timestamp < before.firstSeen ? timestamp : before.firstSeen,
      lastSeen: timestamp > before.lastSeen ? timestamp : before.lastSeen,
    });
    this.#push(key, { record, write, draft, first: false });
  }

  /** Call before a list that may be refused as a whole. */
  savepoint(): void {
    this.#before = new Map();
    this.#changesBefore = this.#changes.length;
  }

  /** Rolls back everything since `savepoint`. */
  rollBack(): void {
    for (const [key, state] of this.#before) {
      if (state === undefined) this.#states.delete(key);
      else this.#states.set(key, state);
    }
    for (const { record, draft } of this.#changes.splice(this.#changesBefore)) {
      this.#count(keyText(record), draft.payload, -1);
    }
  }

  #push(key: string, change: ChangeOfGroup): void {
    this.#changes.push(change);
    this.#count(key, change.draft.payload, 1);
  }

  #count(key: string, ...[payload, more]: [string, number]): void {
    const found = this.#payloads.get(key);
    if (found === undefined) {
      this.#payloads.set(key, payload);
    } else if (found === payload && more < 0) {
      this.#payloads.delete(key);
    } else {
      const counts = typeof found === "string" ? new Map([[found, 1]]) : found;
      this.#payloads.set(key, counts.set(payload, (counts.get(payload) ?? 0) + more));
    }
  }

  #list(chosen: (key: string, state: RecordOfGroup) => boolean): readonly RecordOfGroup[] {
    return inOrder([...this.#states].filter(([key, state]) => chosen(key, state)));
  }

  #set(key: string, state: RecordOfGroup): void {
    if (!this.#before.has(key)) this.#before.set(key, this.#states.get(key));
    this.#states.set(key, state);
  }
}

export const relationKey = ["organization_id", "from_type", "from_id", "to_type", "to_id"] as const;

export const relationColumns = [...relationKey, "kind"] as const;

export type RelationRow = Readonly<Record<(typeof relationColumns)[number], string>>;

export function toRelation(record: RecordKey, { to, id, kind }: Reference): RelationRow {
  return {
    organization_id: record.organizationId,
    from_type: record.resourceType,
    from_id: record.resourceId,
    to_type: to,
    to_id: id,
    kind,
  };
}

/** The distinct relations of the changes, in the order of their keys. */
export function relationsOf(changes: readonly ChangeOfGroup[]): readonly RelationRow[] {
  const rows = new Map<string, RelationRow>();
  for (const { record, draft } of changes) {
    for (const reference of draft.references) {
      const key = `${keyText(record)}\n${reference.to}\n${reference.id}`;
      if (reference.kind === "belongs" || !rows.has(key)) {
        rows.set(key, toRelation(record, reference));
      }
    }
  }
  return inOrder([...rows]);
}

function inOrder<Item>(byKey: (readonly [string, Item])[]): readonly Item[] {
  return byKey.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item);
}

/** The distinct records that the drafts of the writes name, by their keys as text. */
export function keysOf(writes: readonly RecordWrite[]): ReadonlyMap<string, RecordKey> {
  const keys = new Map<string, RecordKey>();
  for (const { organizationId, resourceType, drafts } of writes) {
    for (const { id } of drafts) {
      const key = { organizationId, resourceType, resourceId: id };
      keys.set(keyText(key), key);
    }
  }
  return keys;
}
