// Some indexes on PostgreSQL have a condition that all rows fulfil, so that only statements that name it can use them.
// By their first column they find a whole organization, or all deletions with a status, and PostgreSQL would choose
// them for any statement while it took the tables for almost empty. Evaluates nothing.

import { relationKey } from "../../group/group-records.ts";
import { equal, joinNamed, keyColumns, named, namedRecords, sameOnServer } from "./named.ts";

/** Changes by their arrival. */
export const byArrival = "change.change_no > 0";

/** Relations by the record that has the reference. */
export const bySource = "relation.kind > ''";

/** The indexes of lists of deletions. */
export const inLists = onServer("requested_at >= 0");

/** Open deletions, those in progress among them, by when they are due. */
export const byDueTime = onServer("due_at >= 0");

/** Open deletions by their records. */
export const byRecord = onServer("resource_id > ''");

function onServer(condition: string): string {
  return `
    --postgres AND ${condition}
    `;
}

const sourceColumns = ["organization_id", "from_type", "from_id"];

/** On PostgreSQL. The subquery, which Citus does not support, keeps it from reading all of the index. */
function eachFrom(names: readonly string[]): string {
  return `
    --postgres CROSS JOIN LATERAL ( --elsewhere
    --postgres   SELECT * FROM relation WHERE ${equal("relation", sourceColumns, names)} --elsewhere
    --postgres     AND ${bySource} OFFSET 0) AS relation --elsewhere
    `;
}

function joinFrom(names: readonly string[]): string {
  const [ofSqlite, ofCitus] = [equal, sameOnServer].map((same) =>
    same("relation", sourceColumns, names),
  );
  return `
    --sqlite CROSS JOIN relation ON ${ofSqlite}
    ${eachFrom(names)}
    --citus JOIN relation ON ${ofCitus} AND ${bySource}
    `;
}

/** The relations that begin at the named nodes, or at the named records. */
export const relationsFromNodes = named(...sourceColumns) + joinFrom(sourceColumns);
export const relationsFromRecords = namedRecords + joinFrom(keyColumns);

/** Selects the named nodes at which any relation begins that fulfils the condition, and reads no further ones. */
export const nodesWithRelation = (condition: string) => `
  --sqlite SELECT named.from_type, named.from_id FROM
  --postgres SELECT named.from_type, named.from_id FROM --elsewhere
  --citus SELECT DISTINCT named.from_type, named.from_id FROM
  ${named(...sourceColumns)}
  --citus JOIN relation ON ${sameOnServer("relation", sourceColumns)} AND ${bySource}
  WHERE
    --sqlite (SELECT 1 FROM relation WHERE ${equal("relation", sourceColumns)} AND
    --postgres (SELECT 1 FROM (SELECT * FROM relation --elsewhere
    --postgres   WHERE ${equal("relation", sourceColumns)} AND ${bySource} OFFSET 0) AS relation WHERE --elsewhere
    ${condition}
    --sqlite LIMIT 1) IS NOT NULL
    --postgres LIMIT 1) IS NOT NULL --elsewhere
  `;

/** The relations that lead to the named records. */
const targetColumns = ["organization_id", "to_type", "to_id"];
export const relationsToRecords = namedRecords + joinNamed("relation", targetColumns, keyColumns);

export const removeRelationsFrom = `
  DELETE FROM relation
  --sqlite WHERE (organization_id, from_type, from_id) IN (SELECT * FROM
  --postgres USING (SELECT relation.* FROM --elsewhere
  --citus USING
  ${namedRecords}
  ${eachFrom(keyColumns)}
  --sqlite )
  --postgres ) AS named WHERE ${sameOnServer("relation", relationKey)} --elsewhere
  --citus WHERE ${sameOnServer("relation", sourceColumns, keyColumns)} AND ${bySource}
  `;

const owned = ["owner", "type", "id"];

/** Each goes to the `keeper` of its record. */
export const moveRelationsFrom = `
  UPDATE relation SET organization_id = keeper FROM
  --postgres (SELECT relation.*, keeper FROM --elsewhere
  ${named("owner", "type", "id", "record_no bigint", "keeper")}
  ${eachFrom(owned)}
  --sqlite WHERE ${equal("relation", sourceColumns, owned)}
  --postgres ) AS named WHERE ${sameOnServer("relation", relationKey)} --elsewhere
  --citus WHERE ${sameOnServer("relation", sourceColumns, owned)} AND ${bySource}
  `;
