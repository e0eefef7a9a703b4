// Searches the files of the tables for remains of erasures, as somebody with access to the disk could: dead rows, bytes
// in free space, and the ids of completed deletions. Needs permission to read the server's files, and reports if it is
// missing.

import type { ErasureFinding, ErasureReport } from "../../interface/check-report.ts";
import type { Database } from "../database.ts";
import { listFiles, partBytes, readFilePart, type TableFile, writeFiles } from "./erasure-files.ts";
import { hasState, insufficientPrivilege } from "../failure.ts";
import { inspectHeapPage, pageBytes } from "./heap-page.ts";
import { readRows, unusedPart, type RowTexts, storedForm } from "./page-rows.ts";
import { type KeyRow, rowKeyText, toKey, keyText } from "../../shared/record-key.ts";
import { listOutlived } from "../../sql/deletion/outlived.ts";
import { withoutTimeouts, type Visibility } from "../../sql/statement/visibility.ts";
import type { Transaction } from "../transaction.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";

const findLatest = `
  SELECT organization_id, resource_type, resource_id FROM deletion
  WHERE status = 'completed' ORDER BY completed_at DESC LIMIT $1`;

/** Finds records that exist, that others refer to, or that are being erased. */
const findRecorded = `
  SELECT organization_id, resource_type, resource_id FROM record
  WHERE resource_id = ANY ($1::text[])`;
const findReferred = `
  SELECT organization_id, to_type AS resource_type, to_id AS resource_id FROM relation
  WHERE to_id = ANY ($1::text[])`;
const findPlanned = `
  SELECT organization_id, resource_type, resource_id FROM deletion_target
  WHERE resource_id = ANY ($1::text[])`;
const findReferring = `
  SELECT organization_id, from_type AS resource_type, from_id AS resource_id FROM relation
  WHERE from_id = ANY ($1::text[])`;

/** Shards that a rebalancing has moved and not removed yet. */
const findOrphans = `SELECT object_name AS name FROM pg_dist_cleanup LIMIT 100`;

const withoutTimeout: Visibility = { view: "all", unlimitedTime: true };

const readRole = `SELECT quote_ident(current_user) AS role`;
const readFunction = "pg_read_binary_file(text, bigint, bigint, boolean)";

const latestDeletions = 1_000;
const idColumns: ReadonlySet<string> = new Set(["resource_id", "from_id", "to_id"]);
/**
 * These keep ids: a deletion the id of its record, a hold until its release, a report as long as it has to be kept, and
 * a notice until the recipients have acknowledged it.
 */
const keepsIds: ReadonlySet<string> = new Set([
  "deletion",
  "hold",
  "restricted_reference",
  "erasure_notice",
]);

export async function checkErasure(database: Database): Promise<ErasureReport> {
  const findings = [
    ...(await database.transaction(withoutTimeouts, (tx) => tx.perform(listOutlived))),
  ];
  if (database.distributed)
    findings.push(...(await database.transaction(withoutTimeouts, listOrphans)));
  try {
    await database.transaction(withoutTimeout, writeFiles);
    findings.push(...(await database.transaction(withoutTimeouts, scanFiles)));
  } catch (error) {
    if (!hasState(error, insufficientPrivilege)) throw error;
    findings.push(await database.transaction({}, describeForbidden));
  }
  return { findings };
}

async function listOrphans(transaction: Transaction): Promise<readonly ErasureFinding[]> {
  const orphans = await transaction.all<{ name: string }>(findOrphans);
  return orphans.map(({ name }) => ({
    severe: true,
    text: `${name} was moved to another node, and the old copy is not removed yet.`,
  }));
}

async function describeForbidden(transaction: Transaction): Promise<ErasureFinding> {
  const { role = "" } = (await transaction.get<{ role: string }>(readRole)) ?? {};
  return {
    severe: false,
    text:
      "The pages were not checked: that requires a role that may run checkpoints and read the server's files. Run this " +
      "check once with a superuser in DATABASE_URL, or have a superuser run: " +
      `GRANT pg_checkpoint TO ${role}; GRANT EXECUTE ON FUNCTION ${readFunction} TO ${role};`,
  };
}

async function scanFiles(transaction: Transaction): Promise<readonly ErasureFinding[]> {
  const erased = await readErased(transaction);
  const findings: ErasureFinding[] = [];
  for (const file of await listFiles(transaction)) {
    findings.push(...(await scanFile(transaction, file, erased)));
  }
  if (erased.tooShort > 0) {
    const text =
      `The ids of ${erased.tooShort} completed deletions are shorter than ${bytesAmongOthersMin} bytes. All rows ` +
      "and index entries were searched for them, but not the free space of pages, where other bytes may look the same.";
    findings.push({ severe: false, text });
  }
  return findings;
}

/** Reads the records of the latest completed deletions, except those that exist again. */
async function readErased(transaction: Transaction): Promise<ErasedIds> {
  const latest = await transaction.all<KeyRow>(findLatest, latestDeletions);
  const ids = [...new Set(latest.map(({ resource_id }) => resource_id))];
  const used: KeyRow[] = [];
  for (const sql of [findRecorded, findReferred, findPlanned, findReferring]) {
    used.push(...(await transaction.all<KeyRow>(sql, ids)));
  }
  const usedKeys = new Set(used.map(rowKeyText));
  const erased = latest.filter((row) => !usedKeys.has(rowKeyText(row))).map(toKey);
  return new ErasedIds(erased, new Set(used.map(({ resource_id }) => resource_id)));
}

async function scanFile(
  transaction: Transaction,
  file: TableFile,
  erased: ErasedIds,
): Promise<readonly ErasureFinding[]> {
  let [dead, unused, hidden] = [0, 0, 0];
  const found = new Set<string>();
  const mayName = file.columns.some(({ name }) => idColumns.has(name)) && !keepsIds.has(file.owner);
  for (let at = 0; at < file.bytes; at += partBytes) {
    const part = await readFilePart(transaction, file, at);
    for (let from = 0; from + pageBytes <= part.length; from += pageBytes) {
      const page = part.subarray(from, from + pageBytes);
      if (mayName) hidden += findIds(page, { file, erased, found });
      if (file.kind === "index") continue;
      const figures = inspectHeapPage(page);
      dead += figures.deadRows;
      unused += figures.unusedBytes;
    }
  }
  return describe(file, { dead, unused, hidden, found });
}

/**
 * Adds the ids that it finds. Returns how many ids can't be compared because they are compressed, as long ones may be.
 */
function findIds(
  page: Buffer,
  args: { readonly file: TableFile; readonly erased: ErasedIds; readonly found: Set<string> },
): number {
  const { file, erased, found } = args;
  let hidden = 0;
  for (const id of erased.findInBytes(unusedPart(page))) found.add(id);
  const kind = file.kind === "index" ? "index" : "heap";
  for (const texts of readRows(page, kind, file.columns)) {
    for (const id of erased.findInRow(texts)) found.add(id);
    for (const [name, text] of texts) if (text === undefined && idColumns.has(name)) hidden += 1;
  }
  return hidden;
}

interface FileFigures {
  readonly dead: number;
  readonly unused: number;
  readonly hidden: number;
  readonly found: ReadonlySet<string>;
}

function describe(
  { node, owner, name }: TableFile,
  { dead, unused, hidden, found }: FileFigures,
): readonly ErasureFinding[] {
  const where = node === undefined ? "" : ` on ${node.name}:${node.port}`;
  const place = (owner === name ? owner : `${name} (of ${owner})`) + where;
  const findings: ErasureFinding[] = [];
  if (found.size > 0) {
    const names = [...found].slice(0, 3).map((id) => `"${id}"`);
    const text = `${place}: holds the ids of ${found.size} completed deletions, such as ${names.join(", ")}.`;
    findings.push({ severe: true, text });
  }
  if (dead > 0) {
    const text = `${place}: ${dead} dead rows that were not vacuumed yet.`;
    findings.push({ severe: true, text });
  }
  if (hidden > 0) {
    const text = `${place}: ${hidden} ids are compressed, so they were not compared.`;
    findings.push({ severe: false, text });
  }
  if (unused > 0) {
    const text = `${place}: ${unused} bytes of rows that were erased or moved are left in the free space of pages.`;
    findings.push({ severe: true, text });
  }
  return findings;
}

/** The pairs of columns of a row or an index entry that name a record. */
const names = [
  { resourceType: "resource_type", resourceId: "resource_id" },
  { resourceType: "from_type", resourceId: "from_id" },
  { resourceType: "to_type", resourceId: "to_id" },
] as const;

/** A shorter id occurs by chance in arbitrary bytes, so such ids are only searched for in rows. */
const bytesAmongOthersMin = 6;

/** Recognises erased records that do not exist again, by whole values, so that PAYMENT-1 is not found in PAYMENT-10. */
class ErasedIds {
  readonly #keys: ReadonlySet<string>;
  /** Ids that no existing record of any type and organization has: the id alone is enough to recognize these. */
  readonly #ids: ReadonlySet<string>;
  readonly #forms: readonly { readonly id: string; readonly bytes: Buffer }[];

  /** `usedIds`: the ids of all existing records, and of the records that they refer to. */
  constructor(erased: readonly RecordKey[], usedIds: ReadonlySet<string>) {
    this.#keys = new Set(erased.map(keyText));
    this.#ids = new Set(erased.map(({ resourceId }) => resourceId)).difference(usedIds);
    this.#forms = [...this.#ids]
      .filter((id) => Buffer.byteLength(id) >= bytesAmongOthersMin)
      .map((id) => ({ id, bytes: storedForm(id) }));
  }

  /** How many ids are too short to be searched for in the bytes of former rows. */
  get tooShort(): number {
    return this.#ids.size - this.#forms.length;
  }

  /** The ids of erased records that a row names. Not every index entry has the organization and the type. */
  findInRow(texts: RowTexts): readonly string[] {
    const organizationId = texts.get("organization_id");
    return names.flatMap((columns) => {
      const resourceId = texts.get(columns.resourceId);
      if (resourceId === undefined) return [];
      const resourceType = texts.get(columns.resourceType);
      const isErased =
        organizationId === undefined || resourceType === undefined
          ? this.#ids.has(resourceId)
          : this.#keys.has(keyText({ organizationId, resourceType, resourceId }));
      return isErased ? [resourceId] : [];
    });
  }

  /** The ids that occur as whole values in bytes of former rows. */
  findInBytes(bytes: Buffer): readonly string[] {
    return this.#forms.filter((form) => bytes.includes(form.bytes)).map(({ id }) => id);
  }
}
