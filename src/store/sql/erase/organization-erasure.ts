// Erases everything that has one organization id, page by page: first relations, then, on SQLite, most changes; then
// records with their changes in the order of keys, then stored replies. Callers decide whose records these are and why
// they are erased.
//
// A row of `record` is removed only if no change of the record is left, so a store without records of the organization
// has no changes of it either.

import { byRecord } from "../statement/index-conditions.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import type { Act } from "../../interface/act.ts";
import type { NextPage, PartPage } from "../part.ts";
import { storeCursor } from "../plan/claim.ts";
import { findTargets, type Processing, storeProgressOf } from "../plan/erasure.ts";
import { redactKeptStep } from "./redact-kept.ts";
import { removePartyPart } from "../party/entries.ts";
import { get, run, runTogether, type Statements, column, scalar } from "../statement/statements.ts";
import { afterAllTypes, type KeyRow } from "../../shared/record-key.ts";
import { type StoreParts, storeParts } from "../store-parts.ts";

/** Stored as the cursor of the deletion: on PostgreSQL every search from the start would read removed rows again. */
interface ErasurePlace {
  /** The name of the part. */
  readonly part: string;
  readonly key: PartPage["from"];
}

export interface Page extends PartPage {
  readonly act: Act;
  /** Receives the types of the records that are erased. */
  readonly erasedTypes: string[];
  /** The engine's own methods, if it has any. */
  readonly own?: OwnParts | undefined;
}

export interface OwnParts {
  /** Removes changes before their records. Changes that it leaves are removed with the records. */
  readonly changes: Part["erase"];
  readonly records: Part["erase"];
}

interface Part {
  readonly name: string;
  readonly first: PartPage["from"];
  readonly erase: (page: Page) => Statements<NextPage>;
}

const findEndOfRelations = `
  SELECT
    --sqlite from_type AS one_type, from_id AS one_id, to_type AS other_type, to_id AS other_id
    --postgres to_type AS one_type, to_id AS one_id, from_type AS other_type, from_id AS other_id
  FROM relation
  WHERE organization_id = $1
    --sqlite AND (from_type, from_id, to_type, to_id) > ($3, $4, $5, $6)
    --postgres AND (to_type, to_id, from_type, from_id) > ($3, $4, $5, $6)
  ORDER BY
    --sqlite from_type, from_id, to_type, to_id
    --postgres to_type, to_id, from_type, from_id
  LIMIT 1 OFFSET $2`;

const removeRelations = `
  DELETE FROM relation
  WHERE organization_id = $1
    --sqlite AND (from_type, from_id, to_type, to_id) > ($6, $7, $8, $9)
    --sqlite AND (from_type, from_id, to_type, to_id) <= ($2, $3, $4, $5)
    --postgres AND (to_type, to_id, from_type, from_id) > ($6, $7, $8, $9)
    --postgres AND (to_type, to_id, from_type, from_id) <= ($2, $3, $4, $5)
  `;

const findEndOfChanges = `
  SELECT resource_type, resource_id, change_no FROM change
  WHERE organization_id = $1 AND (resource_type, resource_id) >= ($3, $4)
  ORDER BY resource_type, resource_id, change_no LIMIT 1 OFFSET $2`;

const removeChanges = `
  DELETE FROM change
  WHERE organization_id = $1
    AND (resource_type, resource_id) >= ($4, $5) AND (resource_type, resource_id) < ($2, $3)`;

export const removeChangesOfLast = `
  DELETE FROM change
  --sqlite WHERE record_no = (
  --sqlite   SELECT record_no FROM record
  --sqlite   WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3)
  --postgres WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
    AND change_no <= $4`;

const removeRecords = `
  DELETE FROM record
  WHERE organization_id = $1
    AND (resource_type, resource_id) >= ($4, $5) AND (resource_type, resource_id) <= ($2, $3)
    AND NOT EXISTS (
      SELECT 1 FROM change
      WHERE change.organization_id = record.organization_id
        AND change.resource_type = record.resource_type
        AND change.resource_id = record.resource_id)
  RETURNING resource_type`;

const removeReplies = `
  DELETE FROM idempotent_reply
  WHERE organization_id = $1 AND key_hash IN (
    SELECT key_hash FROM idempotent_reply
    WHERE organization_id = $1 AND key_hash > $2 ORDER BY key_hash LIMIT $3)
  RETURNING key_hash`;

/** Deletions of single records have nothing left to erase, so they wait neither for grace nor for an approval. */
const makeDeletionsDue = `
  UPDATE deletion SET
    due_at = CASE WHEN due_at < $2 THEN due_at ELSE $2 END, next_attempt_at = NULL,
    approval_requester = CASE WHEN approved_at IS NULL THEN NULL ELSE approval_requester END
  WHERE deletion_request_id
    --sqlite IN (
    --postgres = ANY (ARRAY (
    SELECT deletion_request_id FROM deletion
    --sqlite INDEXED BY deletion_open
    WHERE organization_id = $1 AND status IN ('pending', 'processing') AND status = 'pending' ${byRecord}
      AND claimant IS NULL AND (due_at > $2 OR next_attempt_at > $2) LIMIT $3
    --postgres )
    )`;

const isLeftIn = (table: string) => `EXISTS (SELECT 1 FROM ${table} WHERE organization_id = $1)`;

const findLeft = ({ distributed }: StoreParts) => `
  SELECT ${["relation", ...Object.keys(distributed), "record"].map(isLeftIn).join(" OR ")}
    --postgres OR EXISTS (SELECT 1 FROM change WHERE organization_id = $1)
    AS found`;

/** On Citus these tables are on the coordinator, and can't be in a statement with tables of the shards. */
const findLeftBeside = ({ list, distributed }: StoreParts) => {
  const added = list.flatMap(({ tables }) => tables).filter((table) => !(table in distributed));
  return `SELECT ${["idempotent_reply", "party_block", ...added].map(isLeftIn).join(" OR ")} AS found`;
};

const reopenTarget = `UPDATE deletion_target SET done = false WHERE deletion_request_id = $1`;

/** The parts of features come first, because their rows may name records. */
const ownParts: readonly Part[] = [
  { name: "relations", first: ["", "", "", ""], erase: eraseRelations },
  { name: "parties", first: ["-2", "-1"], erase: eraseParties },
  { name: "changes", first: [], erase: eraseChangesFirst },
  { name: "records", first: ["", ""], erase: (page) => (page.own?.records ?? eraseRecords)(page) },
  { name: "replies", first: [""], erase: eraseReplies },
  { name: "others", first: [], erase: makeOthersDue },
];

function* allParts(): Statements<readonly Part[]> {
  const { list } = yield* storeParts();
  const ofFeatures = list.flatMap(({ name, erase }) => (erase ? { name, first: [], erase } : []));
  return [...ofFeatures, ...ownParts];
}

type OrganizationStepOptions = Pick<Page, "rowsMax" | "act" | "own">;

/**
 * Whether a row of `record` may be without changes on SQLite, because its organization is being erased and the cursor
 * of the deletion is in the parts that remove changes and records. On PostgreSQL, a step that removes the last change
 * of a record removes the record, too.
 */
export const isBeingErased = `
  EXISTS (
    SELECT 1 FROM deletion
    WHERE deletion.organization_id = record.organization_id AND deletion.status = 'processing'
      AND deletion.resource_type = '${organizationType}' AND deletion.resource_id = record.organization_id
      AND cursor ->> 'part' IN ('changes', 'records'))`;

/** Erases the next page, at most `rowsMax` rows of a table. True if nothing is left to erase. */
export function* eraseOrganizationStep(
  { deletion, cursor }: Pick<Processing, "deletion" | "cursor">,
  args: OrganizationStepOptions,
): Statements<boolean> {
  const { organizationId } = deletion;
  const { act, rowsMax } = args;
  if (yield* redactKeptStep({ deletion, cursor }, { rowsMax, act })) return false;
  const [target] = (yield* findTargets([deletion], "toErase", 1)).flatMap((part) => part.targets);
  if (target === undefined) return true;
  const from = cursor === null ? undefined : (JSON.parse(cursor) as ErasurePlace);
  const erasedTypes: string[] = [];
  const place = yield* erasePage(from, { organizationId, erasedTypes, ...args });
  const done = place === undefined ? [target] : [];
  const erased = erasedTypes.map((resourceType) => ({ resourceType }));
  yield* storeProgressOf([{ deletion, done, erased, moved: [], redactedTypes: [] }], act);
  yield* storeCursor(deletion, place === undefined ? null : JSON.stringify(place));
  return place === undefined;
}

function* erasePage(
  from: ErasurePlace | undefined,
  page: Omit<Page, "from">,
): Statements<ErasurePlace | undefined> {
  const parts = yield* allParts();
  // From the beginning, too, where a feature is gone whose part it was.
  const at = parts.findIndex(({ name }) => name === from?.part);
  const [part, following] = parts.slice(Math.max(at, 0));
  if (part === undefined) return undefined;
  const next = yield* part.erase({ ...page, from: (at < 0 ? undefined : from?.key) ?? part.first });
  if (next !== undefined) return { part: part.name, key: next };
  if (following === undefined) return undefined;
  const place = { part: following.name, key: following.first };
  return page.erasedTypes.length > 0 ? place : yield* erasePage(place, page);
}

function* eraseRelations({ organizationId, from, rowsMax }: Page): Statements<NextPage> {
  const end = yield* get<{
    one_type: string;
    one_id: string;
    other_type: string;
    other_id: string;
  }>(findEndOfRelations, organizationId, rowsMax - 1, ...from);
  const key = [end?.one_type ?? afterAllTypes, end?.one_id ?? ""] as const;
  const upTo = [...key, end?.other_type ?? "", end?.other_id ?? ""] as const;
  yield* run(removeRelations, organizationId, ...upTo, ...from);
  return end === undefined ? undefined : upTo;
}

function* eraseChangesFirst(page: Page): Statements<NextPage> {
  return page.own && (yield* page.own.changes(page));
}

/** A page ends before or within a record; of that record, the changes on the page are removed. */
function* eraseRecords({ organizationId, from, rowsMax, erasedTypes }: Page): Statements<NextPage> {
  const values = [organizationId, rowsMax - 1, ...from] as const;
  const end = yield* get<KeyRow & { readonly change_no: number }>(findEndOfChanges, ...values);
  const key = [end?.resource_type ?? afterAllTypes, end?.resource_id ?? ""] as const;
  yield* runTogether([
    [removeChanges, organizationId, ...key, ...from],
    [removeChangesOfLast, organizationId, ...key, end?.change_no ?? 0],
  ]);
  erasedTypes.push(...(yield* column<string>(removeRecords, organizationId, ...key, ...from)));
  return end === undefined ? undefined : key;
}

/** A row has the entries of up to a thousand others. */
const partyRowTimes = 20;

function* eraseParties({ organizationId, from, rowsMax }: Page): Statements<NextPage> {
  return yield* removePartyPart(organizationId, from, Math.ceil(rowsMax / partyRowTimes));
}

function* eraseReplies({ organizationId, from, rowsMax }: Page): Statements<NextPage> {
  const after = Buffer.from(from.join(""), "hex");
  const removed = yield* column<Uint8Array>(removeReplies, organizationId, after, rowsMax);
  const hashes = removed.map((hash) => Buffer.from(hash).toString("hex"));
  const last = hashes.sort().at(-1);
  return last === undefined ? undefined : [last];
}

function* makeOthersDue({ organizationId, rowsMax, act }: Page): Statements<NextPage> {
  const changed = yield* run(makeDeletionsDue, organizationId, act.now, rowsMax);
  return changed < rowsMax ? undefined : [];
}

/** Uses other statements than the erasure. False if anything is left; then the erasure begins again. */
export function* verifyOrganization({
  deletionRequestId,
  organizationId,
}: Deletion): Statements<boolean> {
  const parts = yield* storeParts();
  const left = yield* scalar<number | boolean>(findLeft(parts), organizationId);
  const leftBeside = yield* scalar<number | boolean>(findLeftBeside(parts), organizationId);
  if (Boolean(left ?? true) || Boolean(leftBeside ?? true)) {
    yield* run(reopenTarget, deletionRequestId);
    return false;
  }
  return true;
}
