// Redacts the references of kept reports to records of a restricted set, when that set is erased. While the set had to
// be kept, these reports were not changed. A reference that was stated again since then is a new one, and stays.

import { isDeepStrictEqual } from "node:util";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { deletionOfSet, restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import type { Act } from "../../interface/act.ts";
import { keyValues } from "../../shared/record-key.ts";
import { storeCursor, storeVerified } from "../plan/claim.ts";
import { type Processing, storeProgressOf } from "../plan/erasure.ts";
import type { RelationKey } from "../plan/relations.ts";
import { type ChangesPart, lastChangeOf, readInTurn } from "../record/changes.ts";
import { redactAll, refersTo, storeRewritten } from "./rewrite.ts";
import { among, named } from "../statement/named.ts";
import { all, column, lock, Rows, run, type Statements } from "../statement/statements.ts";

const findPending = `
  SELECT * FROM restricted_reference
  WHERE deletion_request_id = $1
    --sqlite AND done = 0
    --postgres AND NOT done
  ORDER BY from_type, from_id, to_type, to_id LIMIT $2`;

const findAll = `
  SELECT * FROM restricted_reference
  WHERE deletion_request_id = $1 ORDER BY from_type, from_id, to_type, to_id LIMIT $2`;

const place = ["deletion_request_id", "from_type", "from_id", "to_type", "to_id"] as const;

const forget = `DELETE FROM restricted_reference ${among("USING", "restricted_reference", place)}`;

const setDone = (done: boolean) => `
  UPDATE restricted_reference SET done = ${done} ${among("FROM", "restricted_reference", place)}`;
const setRedacted = setDone(true);
const setLeft = setDone(false);

const relation = ["organization_id", "from_type", "from_id", "to_type", "to_id"] as const;

/** The places, among these references, of those that were stated again. */
const findStated = `
  SELECT place FROM ${named(...relation, "place bigint")}
    --sqlite CROSS
    JOIN relation USING (${relation.join(", ")})
  --citus WHERE relation.to_id = ANY ($5::text[])
  `;

const referencesAtOnce = 500;

interface ReferenceRow extends RelationKey {
  readonly deletion_request_id: string;
  readonly organization_id: string;
  /** The deletion that has moved the report; empty if the report stays. */
  readonly from_set: string;
}

/** Within a report with many changes: where the next step continues. */
interface Cursor {
  readonly reference: readonly string[];
  /** The last change that was read. */
  readonly after: number;
  /** Whether a change up to there contained the reference. */
  readonly found: boolean;
}

/** Redacts the next references of a set, and stores the progress of its deletion. False if none is left. */
export function* redactKeptStep(
  { deletion, cursor }: Pick<Processing, "deletion" | "cursor">,
  { rowsMax, act }: { readonly rowsMax: number; readonly act: Act },
): Statements<boolean> {
  const moving = deletionOfSet(deletion.deletionRequestId);
  if (deletion.restrictedOf === undefined || moving === undefined) return false;
  const atOnce = Math.min(rowsMax, referencesAtOnce);
  const rows = yield* all<ReferenceRow>(findPending, moving, atOnce);
  if (rows.length === 0) return false;
  // Until the end of the transaction nobody else rewrites or moves the reports.
  yield* lock(rows.map(reportOf));
  const { read, stated, next } = yield* readReports(rows, cursor);
  const byReport = Map.groupBy(read, ({ key }) => keyText(key));
  const rewritten = [...byReport.values()].flatMap((some) => {
    const erased = new Map(some.map(({ row }) => [nodeKey(row.to_type, row.to_id), undefined]));
    return redactAll(some[0]?.changes ?? [], erased);
  });
  yield* storeRewritten(rewritten);
  const whole = [...stated, ...read.filter(({ isLast }) => isLast)];
  yield* run(setRedacted, placesOf(whole));
  yield* storeCursor(deletion, next);
  const redactedTypes = whole.flatMap(({ row, found }) => (found ? [row.from_type] : []));
  yield* storeProgressOf([{ deletion, done: [], erased: [], moved: [], redactedTypes }], act);
  return true;
}

/** `found`: a reference is left, and will be redacted again. `partly`: there is more to search. */
export type Unverified = "found" | "partly";

/** A bounded part at a time. What is verified is forgotten; a reference that is left is redacted again. */
export function* verifyKept(
  { deletion, cursor }: Pick<Processing, "deletion" | "cursor">,
  now: number,
): Statements<"clean" | Unverified> {
  const moving = deletionOfSet(deletion.deletionRequestId);
  if (deletion.restrictedOf === undefined || moving === undefined) return "clean";
  const rows = yield* all<ReferenceRow>(findAll, moving, referencesAtOnce);
  if (rows.length === 0) return "clean";
  const { read, stated, next } = yield* readReports(rows, cursor);
  const left = read.filter(({ found }) => found);
  const gone = [...stated, ...read.filter(({ found, isLast }) => isLast && !found)];
  yield* run(setLeft, placesOf(left));
  yield* run(forget, placesOf(gone));
  yield* storeVerified(deletion, left.length > 0 ? undefined : next, now);
  if (left.length > 0) return "found";
  return gone.length === rows.length && rows.length < referencesAtOnce ? "clean" : "partly";
}

/** A reference in a report. */
interface Reference {
  readonly row: ReferenceRow;
  /** Whether the report contained it, up to here. */
  readonly found: boolean;
}

interface ReadReports {
  readonly read: readonly (Reference & ChangesPart & { readonly key: RecordKey })[];
  /** References that were stated again: of these nothing is read. */
  readonly stated: readonly Reference[];
  readonly next: Cursor | undefined;
}

/** Reads the reports of references, in order, as much of them as one transaction may rewrite. */
function* readReports(
  rows: readonly ReferenceRow[],
  cursor: string | null,
): Statements<ReadReports> {
  const begun = cursor === null ? undefined : (JSON.parse(cursor) as Partial<Cursor>);
  const wanted = rows.map((row) => {
    const isBegun = isDeepStrictEqual(begun?.reference, relationOf(row));
    const { after = 0, found = false } = (isBegun ? begun : undefined) ?? {};
    return { row, key: reportOf(row), after, found, isConfidential: false };
  });
  const relations = rows.map((row, at) => [...relationOf(row), at]);
  const places = new Set(yield* column<number>(findStated, new Rows(relations, 6)));
  const [some = []] = yield* readInTurn([wanted.filter((_, at) => !places.has(at))]);
  const read = some.map((one) => {
    const to = { type: one.row.to_type, id: one.row.to_id };
    return { ...one, found: one.found || one.changes.some((change) => refersTo(change, to)) };
  });
  const last = read.find(({ isLast }) => !isLast);
  const next = last && {
    reference: relationOf(last.row),
    after: lastChangeOf(last),
    found: last.found,
  };
  return { read, stated: wanted.filter((_, at) => places.has(at)), next };
}

/** Where the report is now. */
function reportOf({ organization_id, from_type, from_id, from_set }: ReferenceRow): RecordKey {
  const organizationId = from_set === "" ? organization_id : restrictedId(from_set);
  return { organizationId, resourceType: from_type, resourceId: from_id };
}

function relationOf(row: ReferenceRow): readonly string[] {
  return [...keyValues(reportOf(row)), row.to_type, row.to_id];
}

function placesOf(read: readonly Reference[]): Rows {
  return new Rows(
    read.map(({ row }) => place.map((name) => row[name])),
    place.length,
  );
}
