// The pseudonyms of parties that are being erased, and the position of the scan for records that name them. A row
// exists only while its deletion is being processed, because it connects an erased id with its pseudonym.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { isPartyType, pseudonymFrom } from "../../../domain/deletion/party.ts";
import { limits } from "../../../domain/limits.ts";
import type { PartyErasure, Pass, PageEnd } from "../../interface/naming.ts";
import { inNamedIds, named } from "../statement/named.ts";
import { all, Rows, run, type Statements } from "../statement/statements.ts";
import { randomBytes } from "node:crypto";

const insertPseudonyms = `
  INSERT INTO pseudonym (deletion_request_id, organization_id, pseudonym, verified_to)
  SELECT deletion_request_id, organization_id, named.pseudonym, named.verified_to
  FROM ${named("id", "pseudonym", "verified_to bigint")}
    --sqlite CROSS
    JOIN deletion ON deletion_request_id = named.id
  WHERE status = 'processing'
  ON CONFLICT DO NOTHING`;

const findSome = `SELECT * FROM pseudonym WHERE ${inNamedIds("deletion_request_id")}`;

const removeSome = `DELETE FROM pseudonym WHERE ${inNamedIds("deletion_request_id")}`;

const setProgress = `
  UPDATE pseudonym SET pass_up_to = named.up_to, pass_after = named.after,
    pass_found = named.found, verified_to = named.verified_to
  FROM ${named("id", "up_to bigint", "after", "found boolean", "verified_to bigint")}
  WHERE deletion_request_id = named.id`;

const extendLeases = `
  UPDATE deletion SET
    --sqlite lease_until = max(lease_until, $2)
    --postgres lease_until = greatest(lease_until, $2)
  WHERE ${inNamedIds("deletion_request_id")} AND status = 'processing'`;

interface PseudonymRow {
  readonly deletion_request_id: string;
  readonly pseudonym: string;
  readonly pass_up_to: number | null;
  readonly pass_after: string | null;
  readonly pass_found: number | boolean;
  readonly verified_to: number | null;
}

/** The erased party and the pseudonym, by the id of the deletion. */
export type PartyErasures = ReadonlyMap<string, PartyErasure>;

/** Chooses a pseudonym for each of these deletions that has none. */
export function* addPseudonyms(ids: readonly string[]): Statements<void> {
  const rows = ids.map((id) => [id, newPseudonym(), null]);
  yield* run(insertPseudonyms, new Rows(rows, 3));
}

/** Restores the pseudonyms of deletions that were not completed after their pseudonyms were removed. */
export function* putBackPseudonyms(
  taken: readonly (readonly [deletionRequestId: string, erasure: PartyErasure])[],
): Statements<void> {
  const rows = taken.map(([id, { pseudonym, verifiedTo }]) => [id, pseudonym, verifiedTo ?? null]);
  yield* run(insertPseudonyms, new Rows(rows, 3));
}

/** Finds those of these deletions that have begun to replace an id, with the id and its pseudonym. */
export function* findPartyErasures(ids: readonly string[]): Statements<PartyErasures> {
  const rows = ids.length === 0 ? [] : yield* all<PseudonymRow>(findSome, ids);
  return new Map(rows.map((row) => [row.deletion_request_id, toErasure(row)]));
}

function toErasure(row: PseudonymRow): PartyErasure {
  const { pass_up_to: upTo, pass_after: after } = row;
  return {
    pseudonym: row.pseudonym,
    pass: upTo === null || after === null ? undefined : { upTo, after: readPlace(after) },
    found: Boolean(row.pass_found),
    verifiedTo: row.verified_to ?? undefined,
  };
}

/** The pseudonyms, by deletion. */
export function* findPseudonyms(
  deletions: readonly Deletion[],
): Statements<ReadonlyMap<string, string>> {
  const ofParties = deletions.filter(({ resourceType }) => isPartyType(resourceType));
  const ids = ofParties.map(({ deletionRequestId }) => deletionRequestId);
  const erasures = yield* findPartyErasures(ids);
  return new Map([...erasures].map(([id, { pseudonym }]) => [id, pseudonym]));
}

/**
 * Removes pseudonyms before a file is scrubbed, so that completed deletions leave no byte that connects them with the
 * ids. The caller keeps them in memory until the deletions are completed, or restores them.
 */
export function* takePseudonyms(ids: readonly string[]): Statements<PartyErasures> {
  const taken = yield* findPartyErasures(ids);
  yield* removePseudonyms([...taken.keys()]);
  return taken;
}

/** Removes pseudonyms for good. From then on nothing in the tables connects the ids with them. */
export function* removePseudonyms(ids: readonly string[]): Statements<void> {
  if (ids.length > 0) yield* run(removeSome, ids);
}

/** The position of the scan. Without `pass`, the next pass begins at the first record. */
export interface ScanProgress {
  /** The deletion. */
  readonly id: string;
  readonly pass?: Pass;
  readonly found?: boolean;
  readonly verifiedTo?: number | undefined;
}

/** Stores the position of the scan, and extends the leases. */
export function* storeProgress(progress: readonly ScanProgress[], now: number): Statements<void> {
  if (progress.length === 0) return;
  const rows = progress.map(({ id, pass, found = false, verifiedTo = null }) => {
    return [id, pass?.upTo ?? null, pass ? writePlace(pass.after) : null, found, verifiedTo];
  });
  yield* run(setProgress, new Rows(rows, 5));
  const ids = progress.map((one) => one.id);
  yield* run(extendLeases, ids, now + limits.deletionLeaseMs);
}

/** Types contain neither character. */
function writePlace({ resourceType, resourceId, changeNo }: PageEnd): string {
  return `${resourceType}${changeNo === undefined ? "" : `@${changeNo}`}/${resourceId}`;
}

function readPlace(text: string): PageEnd {
  const slash = text.indexOf("/");
  const [resourceType = "", changeNo] = text.slice(0, slash).split("@");
  const resourceId = text.slice(slash + 1);
  return { resourceType, resourceId, ...(changeNo && { changeNo: Number(changeNo) }) };
}

/** Chosen at random, so that nobody can compute one from the id or connect two of them. */
export function newPseudonym(): string {
  return pseudonymFrom(randomBytes(16).toString("hex"));
}
