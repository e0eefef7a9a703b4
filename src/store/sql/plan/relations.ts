// Reads the relations that cascades depend on, for many records at once, page by page: one record may have very many.
// Changes nothing.

import { nodeKey, type NodeKey, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import type { RelationKind, ResourceType } from "../../../domain/record-type.ts";
import { recordTypes } from "../../../domain/record-types.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { rowKeyText } from "../../shared/record-key.ts";
import type { Reference, TargetRow } from "./erasure.ts";
import { all, pause, Rows, type Statements } from "../statement/statements.ts";
import { bySource, nodesWithRelation, relationsFromNodes } from "../statement/index-conditions.ts";
import { inNamedIds, joinNamed, joinErasing, keyRows, named } from "../statement/named.ts";

/** One statement reads this many rows, and names at most this many records. */
const rowsAtOnce = 499;
const nodesAtOnce = 500;

const columns = "relation.from_type, relation.from_id, relation.to_type, relation.to_id, kind";

/** Statements that read relations to some records, or from them; `types`: the place of the types to read. */
function makeTexts(end: "to" | "from", other: "to" | "from") {
  const only = (types: number | undefined) =>
    types === undefined ? "" : `AND ${inNamedIds(`relation.${other}_type`, types)}`;
  const joined =
    end === "to"
      ? named("organization_id", "to_type", "to_id") +
        joinNamed("relation", ["organization_id", "to_type", "to_id"])
      : relationsFromNodes;
  const some = (types?: number) => `
  SELECT ${columns} FROM ${joined}
  WHERE true
    ${end === "to" ? "--citus AND relation.to_id = ANY ($3::text[])" : ""}
    ${only(types)}
  LIMIT $4`;
  const page = (types?: number) => `
  SELECT ${columns} FROM relation
  WHERE organization_id = $1 AND ${end}_type = $2 AND ${end}_id = $3
    ${end === "to" ? "" : `AND ${bySource}`}
    AND (${other}_type, ${other}_id) > ($4, $5)
    ${only(types)}
  ORDER BY ${other}_type, ${other}_id LIMIT $6`;
  return { some, page };
}

const texts = { to: makeTexts("to", "from"), from: makeTexts("from", "to") };

/** Finds records that a deletion which is being processed erases. On PostgreSQL no other deletion has a plan. */
const findGoing = `
  SELECT target.organization_id, target.resource_type, target.resource_id,
    target.deletion_request_id, target.restricted
  FROM ${named("organization_id", "resource_type", "resource_id")}
    ${joinErasing}
  WHERE action = 'erase'
    --sqlite AND EXISTS (
    --sqlite   SELECT 1 FROM deletion
    --sqlite   WHERE deletion_request_id = target.deletion_request_id AND status = 'processing')
    --citus AND target.resource_id = ANY ($3::text[])
  `;

/** Records of these types belong to nothing, so each is erased only if that was requested. */
const independentTypes = recordTypes
  .filter(({ relations }) => relations.every(({ kind }) => kind !== "belongs"))
  .map(({ resourceType }) => resourceType);

/** The first relation decides. PostgreSQL looks into a list of texts row by row, but makes a table of a subquery. */
const findKeptNodes = nodesWithRelation(`
  kind = 'belongs' AND ${inNamedIds("to_type", 4)}
  --sqlite AND to_id NOT IN (SELECT value FROM json_each($5))
  --postgres AND to_id NOT IN (SELECT unnest($5::text[])) --elsewhere
  --citus AND to_id <> ALL ($5::text[])
  AND NOT EXISTS (
    SELECT 1 FROM deletion_target AS target
    WHERE target.organization_id = relation.organization_id AND action = 'erase'
      AND resource_type = relation.to_type AND resource_id = relation.to_id
    --postgres OFFSET 0 --elsewhere
    )`);

export interface RelationRow extends Omit<Reference, "deletion_request_id" | "organization_id"> {
  readonly kind: RelationKind;
}

/** Handles a page; returns false to end the reading. */
export type PageHandler = (rows: readonly RelationRow[]) => Statements<boolean>;

export interface RelationsOf {
  readonly organizationId: string;
  readonly nodes: readonly NodeKey[];
  /** Whether the relations lead to these records or begin at them. */
  readonly end: "to" | "from";
  /** Selects relations with these types at the other end, so that others affect neither answer nor time; or all. */
  readonly types?: readonly ResourceType[] | undefined;
  /** The handler will need no more rows of one record, so that a page has no more; only where types are selected. */
  readonly rowsMax?: number | undefined;
}

/**
 * Reads all pages. Returns false if the handler has ended the reading. Unless types are selected, one page is read even
 * without records, because the time must not disclose whether there are reports.
 */
export function* eachPage(
  { nodes, ...query }: RelationsOf,
  handle: PageHandler,
): Statements<boolean> {
  if (nodes.length === 0 && query.types !== undefined) return true;
  for (let at = 0; at === 0 || at < nodes.length; at += nodesAtOnce) {
    const part = nodes.slice(at, at + nodesAtOnce);
    if (!(yield* eachPageOfSome({ ...query, nodes: part }, handle))) return false;
    if (nodes.length > nodesAtOnce) yield* pause();
  }
  return true;
}

/** All at once, or else half of the records at a time, or else one record page by page. */
function* eachPageOfSome(
  { nodes, ...query }: RelationsOf,
  handle: PageHandler,
): Statements<boolean> {
  const { organizationId, end, types, rowsMax } = query;
  const [first] = nodes;
  const isOne = first !== undefined && nodes.length === 1;
  // Unless types are selected, the statement must not disclose that this record has no report beside it.
  if (isOne && rowsMax !== undefined) return yield* eachPageOfOne(first, query, handle);
  const keys = nodeRows(organizationId, nodes);
  const some = texts[end].some(types && 5);
  const ofTypes = types === undefined ? [] : [types];
  const rows = yield* all<RelationRow>(some, keys, rowsAtOnce + 1, ...ofTypes);
  if (rows.length <= rowsAtOnce) return yield* handle(rows);
  if (isOne) return yield* eachPageOfOne(first, query, handle);
  const half = Math.ceil(nodes.length / 2);
  for (const part of [nodes.slice(0, half), nodes.slice(half)]) {
    if (!(yield* eachPageOfSome({ ...query, nodes: part }, handle))) return false;
  }
  return true;
}

function* eachPageOfOne(
  node: NodeKey,
  { organizationId, end, types, rowsMax = rowsAtOnce }: Omit<RelationsOf, "nodes">,
  handle: PageHandler,
): Statements<boolean> {
  const { type, id } = parseNodeKey(node);
  const limit = Math.min(rowsMax, rowsAtOnce);
  const page = texts[end].page(types && 7);
  const ofTypes = types === undefined ? [] : [types];
  let after: readonly [string, string] = ["", ""];
  for (;;) {
    const values = [organizationId, type, id, ...after, limit] as const;
    const rows = yield* all<RelationRow>(page, ...values, ...ofTypes);
    if (!(yield* handle(rows))) return false;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return true;
    after = end === "to" ? [last.from_type, last.from_id] : [last.to_type, last.to_id];
    yield* pause();
  }
}

/**
 * Finds those of these records that belong to an independent one that remains: it is neither in a plan nor among those
 * for which plans are being made. Runs as often as `eachPage` does.
 */
export function* findKept({
  organizationId,
  nodes,
  types,
  planned,
}: Pick<RelationsOf, "organizationId" | "nodes" | "types"> & {
  readonly planned: readonly NodeKey[];
}): Statements<readonly NodeKey[]> {
  const holding = independentTypes.filter((type) => types?.includes(type) !== false);
  const ids = planned.map((node) => parseNodeKey(node).id);
  const kept: NodeKey[] = [];
  if (nodes.length === 0 && types !== undefined) return kept;
  for (let at = 0; at === 0 || at < nodes.length; at += nodesAtOnce) {
    const keys = nodeRows(organizationId, nodes.slice(at, at + nodesAtOnce));
    const rows = yield* all<RelationRow>(findKeptNodes, keys, holding, ids);
    kept.push(...rows.map(({ from_type, from_id }) => nodeKey(from_type, from_id)));
    if (nodes.length > nodesAtOnce) yield* pause();
  }
  return kept;
}

export function nodeRows(organizationId: string, nodes: readonly NodeKey[]): Rows {
  const rows = nodes.map((node) => {
    const { type, id } = parseNodeKey(node);
    return [organizationId, type, id];
  });
  return new Rows(rows, 3);
}

export interface Erasing {
  readonly node: NodeKey;
  readonly deletionRequestId: string;
  /** The record is moved to the restricted store. */
  readonly restricted: boolean;
}

/** Finds those of these records that a deletion which is being processed erases. */
export function* findErasing(
  organizationId: string,
  nodes: readonly NodeKey[],
): Statements<readonly Erasing[]> {
  const rows = yield* all<TargetRow>(findGoing, nodeRows(organizationId, nodes));
  return rows.map((row) => ({
    node: nodeKey(row.resource_type, row.resource_id),
    deletionRequestId: row.deletion_request_id,
    restricted: Boolean(row.restricted),
  }));
}

/** The deletions that are about to move these reports of an organization, by the text of the report's key. */
export function* findMovingDeletions(
  records: readonly RecordKey[],
): Statements<ReadonlyMap<string, string>> {
  const rows = yield* all<TargetRow>(findGoing, keyRows(records));
  const moving = rows.filter(({ restricted }) => Boolean(restricted));
  return new Map(moving.map((row) => [rowKeyText(row), row.deletion_request_id]));
}
