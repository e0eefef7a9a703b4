// The records from which plans redact references, and as many of their changes as one transaction may rewrite. They are
// read alike to erase and to verify. The cursor of a deletion says where it continues within a record with many
// changes; a change that arrives there meanwhile has a higher number. Changes nothing.

import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { keyText } from "../../../domain/record/record-write.ts";
import { rowKeyText, toKey } from "../../shared/record-key.ts";
import type { ErasedRecords } from "../../shared/redact-payload.ts";
import { partUpTo, type PlanPart, type Processing, type TargetRow } from "../plan/erasure.ts";
import { type ChangesPart, lastChangeOf, readInTurn, type Wanted } from "../record/changes.ts";
import type { Pseudonyms } from "./pseudonym.ts";
import type { Rewritten } from "./rewrite.ts";
import type { Statements } from "../statement/statements.ts";

/** Whether a record names the pseudonym of a deletion: not yet, since this pass, or since before it. */
export type Naming = "absent" | "added" | "known";

export interface Cursor {
  /** The targets up to this position that are left redact references from one record. */
  readonly to: number;
  /** The last change of it that was read. */
  readonly after: number;
  /** Only while the deletion erases. */
  readonly pseudonym?: Naming;
}

/** The places of the deletions that continue within a record, by their ids. */
export type Cursors = ReadonlyMap<string, Cursor>;

export function readCursors(
  processing: readonly Pick<Processing, "deletion" | "cursor">[],
  step: "erasing" | "verifying",
): Cursors {
  const cursors = new Map<string, Cursor>();
  for (const { deletion, cursor: stored } of processing) {
    const cursor = stored === null ? undefined : (JSON.parse(stored) as Partial<Cursor>);
    const isOfStep = (cursor?.pseudonym !== undefined) === (step === "erasing");
    if (cursor?.to !== undefined && isOfStep) {
      cursors.set(deletion.deletionRequestId, cursor as Cursor);
    }
  }
  return cursors;
}

/** The references that one deletion redacts from a record. */
interface Planned extends Wanted {
  /** The deletion. */
  readonly id: string;
  /** The index of the first target. */
  readonly at: number;
  readonly targets: readonly TargetRow[];
  /** Undefined at the beginning of the record. */
  readonly from: Cursor | undefined;
}

export type Redaction = Planned & ChangesPart;

/** What a transaction reads for one deletion. */
export interface RedactionPart {
  /** Ends before the first record of which more is left to read. */
  readonly part: PlanPart;
  readonly isWhole: boolean;
  /** The redactions in this part. */
  readonly whole: readonly Redaction[];
  /** In the record of which more is left. */
  readonly begun: Redaction | undefined;
}

export function isRedaction({ action, restricted }: TargetRow): boolean {
  return action === "redact" && !restricted;
}

export function* readRedactions(
  parts: readonly PlanPart[],
  cursors: Cursors,
): Statements<readonly RedactionPart[]> {
  const planned = parts.map((part) => redactionsOf(part, cursors));
  const read = yield* readInTurn(planned);
  return parts.map((part, index) => {
    const redactions = read[index] ?? [];
    const whole = redactions.filter(({ isLast }) => isLast);
    const begun = redactions[whole.length];
    const end = planned[index]?.[whole.length]?.at;
    return { part: partUpTo(part, end), isWhole: end === undefined, whole, begun };
  });
}

/** The redactions of each record, in order; those up to the cursor are separate from others of the same record. */
function redactionsOf(
  { deletion, targets, isConfidential }: PlanPart,
  cursors: Cursors,
): readonly Planned[] {
  const { deletionRequestId: id } = deletion;
  const cursor = cursors.get(id);
  const found: (Planned & { readonly targets: TargetRow[] })[] = [];
  for (const [at, target] of targets.entries()) {
    if (!isRedaction(target)) continue;
    const from = target.position <= (cursor?.to ?? 0) ? cursor : undefined;
    const last = found.at(-1);
    if (last !== undefined && last.from === from && keyText(last.key) === rowKeyText(target)) {
      last.targets.push(target);
      continue;
    }
    const wanted = { key: toKey(target), after: from?.after ?? 0 };
    const kind = { isConfidential: isConfidential(target) };
    found.push({ ...wanted, ...kind, id, at, targets: [target], from });
  }
  return found;
}

/** Where the next transaction continues. */
export function cursorAfter(redaction: Redaction): Cursor {
  return { to: redaction.targets.at(-1)?.position ?? 0, after: lastChangeOf(redaction) };
}

export function namingBefore({ from }: Redaction): Naming {
  return from?.pseudonym ?? "absent";
}

/** `pseudonym`: that of the deletion, if it has one. */
export function namingAfter(
  before: Naming,
  rewritten: readonly Rewritten[],
  pseudonym: string | undefined,
): Naming {
  if (pseudonym === undefined || before !== "absent") return before;
  if (rewritten.some(({ payload }) => payload.includes(pseudonym))) return "known";
  return rewritten.some(({ after }) => after.includes(pseudonym)) ? "added" : "absent";
}

/** The records that the references lead to. A party has the pseudonym of its deletion. */
export function erasedBy(targets: readonly TargetRow[], pseudonyms: Pseudonyms): ErasedRecords {
  return new Map(
    targets.map(({ to_type, to_id, deletion_request_id: id }) => [
      nodeKey(to_type ?? "", to_id ?? ""),
      pseudonyms.get(id),
    ]),
  );
}
