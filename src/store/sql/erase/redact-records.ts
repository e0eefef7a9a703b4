// Removes references to what is erased from records that stay, and replaces the ids of erased parties in them. A record
// with several references is rewritten once; one with many changes part by part, and its relations are removed with the
// last part.

import { keyText } from "../../../domain/record/record-write.ts";
import { storeCursor } from "../plan/claim.ts";
import type { PlanPart, TargetRow } from "../plan/erasure.ts";
import { all, Rows, type Statements } from "../statement/statements.ts";
import { among } from "../statement/named.ts";
import { redactAll, storeRewritten, type Rewritten } from "./rewrite.ts";
import { keepPseudonyms, type Keeping, type Pseudonyms } from "./pseudonym.ts";
import {
  cursorAfter,
  type Cursors,
  erasedBy,
  isRedaction,
  type Naming,
  namingAfter,
  namingBefore,
  readRedactions,
  type Redaction,
  type RedactionPart,
} from "./redaction.ts";

const columns = ["organization_id", "from_type", "from_id", "to_type", "to_id"] as const;

const removeRelations = `
  DELETE FROM relation ${among("USING", "relation", columns)}
    --citus AND relation.to_id = ANY ($5::text[])
  RETURNING relation.organization_id, relation.from_type, relation.from_id, relation.to_type, relation.to_id`;

/** The type of a record that was changed for the deletion with this id. */
interface RedactedType {
  readonly id: string;
  readonly type: string;
}

/** One entry for each reference or id that was removed, by deletion. */
export type RedactedTypes = ReadonlyMap<string, readonly RedactedType[]>;

interface Redacted {
  /** The parts that this step processes: each may end before a record that has to wait for the next step. */
  readonly parts: readonly PlanPart[];
  readonly types: RedactedTypes;
}

export function* redactReferences(
  given: readonly PlanPart[],
  options: Keeping & { readonly cursors: Cursors },
): Statements<Redacted> {
  const { cursors, pseudonyms } = options;
  const read = yield* readRedactions(given, cursors);
  const parts = read.map(({ part }) => part);
  const removed = yield* removeReferences(parts.flatMap(({ targets }) => targets));
  const namings = yield* rewriteRecords(read, pseudonyms);
  // A deletion may have several redactions of a record in its plan.
  const added = [...namings].flatMap(([one, naming]) => {
    return namingBefore(one) === "absent" && naming === "added" ? [one] : [];
  });
  const renamed = [
    ...new Map(added.map((one) => [`${one.id}\n${keyText(one.key)}`, one])).values(),
  ];
  for (const { part, begun } of read) {
    const next = begun && { ...cursorAfter(begun), pseudonym: namings.get(begun) };
    if (next !== undefined || cursors.has(part.deletion.deletionRequestId))
      yield* storeCursor(part.deletion, next);
  }
  yield* keepPseudonyms(renamed, options);
  const types = [...removed, ...renamed.map(({ id, key }) => ({ id, type: key.resourceType }))];
  return { parts, types: Map.groupBy(types, ({ id }) => id) };
}

/** Returns the types of the records that had them, with the deletions; what two remove counts for the first. */
function* removeReferences(targets: readonly TargetRow[]): Statements<readonly RedactedType[]> {
  // The same statements run whether or not a reference remains: the time must not disclose it.
  const remaining = targets.filter(({ action, restricted }) => action === "redact" && restricted);
  yield* removeThem(remaining);
  const redactions = targets.filter(isRedaction);
  const owners = new Map(
    redactions.toReversed().map((one) => [relationOf(one).join("\n"), one.deletion_request_id]),
  );
  return (yield* removeThem(redactions)).flatMap((row) => {
    const id = owners.get(columns.map((column) => row[column]).join("\n"));
    return id === undefined ? [] : [{ id, type: row.from_type }];
  });
}

type RelationRow = Readonly<Record<(typeof columns)[number], string>>;

function* removeThem(targets: readonly TargetRow[]): Statements<readonly RelationRow[]> {
  return yield* all<RelationRow>(
    removeRelations,
    new Rows(targets.map(relationOf), columns.length),
  );
}

function relationOf(target: TargetRow) {
  const { organization_id, resource_type, resource_id, to_type, to_id } = target;
  return [organization_id, resource_type, resource_id, to_type, to_id] as const;
}

/** Returns whether the record of each redaction now names the pseudonym of the deletion. */
function* rewriteRecords(
  read: readonly RedactionPart[],
  pseudonyms: Pseudonyms,
): Statements<ReadonlyMap<Redaction, Naming>> {
  const redactions = read.flatMap(({ whole, begun }) => [...whole, ...(begun ? [begun] : [])]);
  const changed: Rewritten[] = [];
  const namings = new Map<Redaction, Naming>();
  for (const some of Map.groupBy(redactions, ({ key }) => keyText(key)).values()) {
    const targets = some.flatMap((one) => one.targets);
    const rewritten = redactAll(some[0]?.changes ?? [], erasedBy(targets, pseudonyms));
    changed.push(...rewritten);
    for (const one of some) {
      namings.set(one, namingAfter(namingBefore(one), rewritten, pseudonyms.get(one.id)));
    }
  }
  yield* storeRewritten(changed);
  return namings;
}
