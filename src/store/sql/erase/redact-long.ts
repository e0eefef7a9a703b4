// Redacts references from records with many changes, part by part. A step rewrites what its budget allows,
// and stores in the cursor of the deletion where the next step continues; relations are removed with the last part. A
// change that arrives meanwhile has a higher number, so it is rewritten too.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import type { Act } from "../../interface/act.ts";
import type { ErasedRecords } from "../../shared/redact-payload.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { rowKeyText, toKey } from "../../shared/record-key.ts";
import { storeCursor } from "../plan/claim.ts";
import {
  partUpTo,
  type PlanPart,
  type Reference,
  referencesOf,
  type TargetRow,
} from "../plan/erasure.ts";
import type { Statements } from "../statement/statements.ts";
import { readChangesAfter, ReadBudget, type Size } from "../record/changes.ts";
import { redactAll, type Rewritten, storeRewritten } from "./rewrite.ts";

/** Says for each deletion where its step continues: null if that is not within a record. */
export type Cursors = ReadonlyMap<string, string | null>;

export interface RedactionOptions {
  readonly deletions: readonly Deletion[];
  /** The pseudonyms of the erased parties, by the id of the deletion. */
  readonly pseudonyms: ReadonlyMap<string, string>;
  readonly cursors: Cursors;
  readonly act: Act;
}

/** A record in which this step has replaced the first id of a party by the pseudonym of its deletion. */
export interface Renamed {
  /** The deletion. */
  readonly id: string;
  readonly key: RecordKey;
}

/** The progress within the changes of a record. */
interface Progress {
  /** The last change that was rewritten. */
  readonly after: number;
  /** Whether the record names the pseudonym of the deletion: not yet, since this pass, or since before it. */
  readonly pseudonym: "absent" | "added" | "known";
}

export const beginning: Progress = { after: 0, pseudonym: "absent" };

interface Cursor extends Progress {
  /** The targets up to this position that are not done redact references from one record. */
  readonly to: number;
}

interface BoundingOptions extends RedactionOptions {
  /** Those of the records with few changes, by the texts of their keys. */
  readonly sizes: ReadonlyMap<string, Size>;
}

interface Bounded {
  readonly parts: readonly PlanPart[];
  /** The records that are rewritten here, by the texts of their keys. */
  readonly long: ReadonlySet<string>;
  readonly renamed: readonly Renamed[];
}

/** Ends each part before a record that the budget does not allow, and rewrites those with many changes. */
export function* boundRedactions(
  parts: readonly PlanPart[],
  options: BoundingOptions,
): Statements<Bounded> {
  const bounding = new Bounding(options);
  const bounded: PlanPart[] = [];
  for (const part of parts) bounded.push(yield* bounding.bound(part));
  const { long, renamed } = bounding;
  return { parts: bounded, long, renamed };
}

class Bounding {
  readonly long = new Set<string>();
  readonly renamed: Renamed[] = [];
  readonly #options: BoundingOptions;
  /** Records with few changes that this step rewrites. */
  readonly #short = new Set<string>();
  /** Confidential records have a separate budget, so that they never affect the steps of other records. */
  readonly #budgets = { open: new ReadBudget(), confidential: new ReadBudget() };

  constructor(options: BoundingOptions) {
    this.#options = options;
  }

  *bound(part: PlanPart): Statements<PlanPart> {
    const { cursors } = this.#options;
    const stored = cursors.get(part.deletion.deletionRequestId) ?? null;
    const from = readCursor(stored);
    let next: Cursor | undefined;
    let end: number | undefined;
    for (const { at, first, targets } of redactionsOf(part.targets, from?.to)) {
      const budget = this.#budgets[part.isConfidential(first) ? "confidential" : "open"];
      const isBegun = from !== undefined && first.position <= from.to;
      if (!isBegun && this.#isShort(first)) {
        if (this.#takeShort(first, budget)) continue;
      } else {
        const to = targets.at(-1)?.position ?? first.position;
        const cursor = isBegun ? from : { to, ...beginning };
        next = yield* this.#rewriteLong({ part, first, targets, budget }, cursor);
        if (next === undefined) continue;
      }
      end = at;
      break;
    }
    const cursor = next === undefined ? null : JSON.stringify(next);
    if (from !== undefined || cursor !== null) yield* storeCursor(part.deletion, cursor);
    return partUpTo(part, end);
  }

  #isShort(first: TargetRow): boolean {
    return this.#options.sizes.has(rowKeyText(first));
  }

  #takeShort(first: TargetRow, budget: ReadBudget): boolean {
    const record = rowKeyText(first);
    const size = this.#options.sizes.get(record);
    if (!this.#short.has(record) && (size === undefined || !budget.take(size))) return false;
    this.#short.add(record);
    return true;
  }

  *#rewriteLong(
    { part, first, targets, budget }: LongRecord,
    cursor: Cursor,
  ): Statements<Cursor | undefined> {
    const { deletionRequestId: id } = part.deletion;
    const key = toKey(first);
    const { pseudonyms } = this.#options;
    this.long.add(rowKeyText(first));
    const erased = erasedBy(referencesOf(targets, { restricted: false }), pseudonyms);
    const { changes, isLast } = yield* readChangesAfter(key, cursor.after, budget);
    const rewritten = redactAll(changes, () => erased);
    yield* storeRewritten(rewritten);
    const next = { ...cursor, ...advance(cursor, rewritten, pseudonyms.get(id)) };
    if (cursor.pseudonym === "absent" && next.pseudonym === "added") this.renamed.push({ id, key });
    return isLast ? undefined : next;
  }
}

/** Undefined for the cursor of a verification (verify-redactions.ts), which stays. */
function readCursor(stored: string | null): Cursor | undefined {
  const cursor = stored === null ? undefined : (JSON.parse(stored) as Partial<Cursor>);
  return cursor?.to === undefined ? undefined : (cursor as Cursor);
}

interface LongRecord {
  readonly part: PlanPart;
  readonly first: TargetRow;
  /** The references to redact from it. */
  readonly targets: readonly TargetRow[];
  readonly budget: ReadBudget;
}

interface Redactions extends Pick<LongRecord, "first" | "targets"> {
  /** The index of the first target. */
  readonly at: number;
}

/** The redactions by record, in order; those up to the position `to` are separate from others of the same record. */
function redactionsOf(targets: readonly TargetRow[], to = 0): readonly Redactions[] {
  const redactions: (Redactions & { readonly targets: TargetRow[] })[] = [];
  for (const [at, target] of targets.entries()) {
    if (target.action !== "redact" || Boolean(target.restricted)) continue;
    const last = redactions.at(-1);
    const isSame =
      last !== undefined &&
      rowKeyText(last.first) === rowKeyText(target) &&
      last.first.position <= to === target.position <= to;
    if (isSame) last.targets.push(target);
    else redactions.push({ at, first: target, targets: [target] });
  }
  return redactions;
}

/** `id`: the pseudonym of the deletion, if it has one. */
export function advance(
  before: Progress,
  rewritten: readonly Rewritten[],
  id: string | undefined,
): Progress {
  const after = rewritten.at(-1)?.change_no ?? before.after;
  if (id === undefined || before.pseudonym !== "absent") return { ...before, after };
  if (rewritten.some(({ payload }) => payload.includes(id))) return { after, pseudonym: "known" };
  const isAdded = rewritten.some((change) => change.after.includes(id));
  return { after, pseudonym: isAdded ? "added" : "absent" };
}

/** Returns the records that the references lead to. A party has the pseudonym of its deletion. */
export function erasedBy(
  references: readonly Reference[],
  pseudonyms: RedactionOptions["pseudonyms"],
): ErasedRecords {
  return new Map(
    references.map(({ to_type, to_id, deletion_request_id }) => [
      nodeKey(to_type, to_id),
      pseudonyms.get(deletion_request_id),
    ]),
  );
}
