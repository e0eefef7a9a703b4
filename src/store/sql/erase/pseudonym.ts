// The pseudonyms of parties that are being erased, and how far the scan for records that name them has come. A row exists
// only while its deletion is being processed, because it connects an erased id with its pseudonym.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { PartyErasure, Place, ScanProgress } from "../../interface/naming.ts";
import { newPseudonym } from "../../shared/new-pseudonym.ts";
import { inNamedIds } from "../statement/named.ts";
import { all, get, run, type Statements } from "../statement/statements.ts";

const insertPseudonym = `
  INSERT INTO pseudonym (deletion_request_id, organization_id, pseudonym) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING`;

const keepPseudonym = `
  INSERT INTO pseudonym (deletion_request_id, organization_id, pseudonym, verified_to)
  SELECT deletion_request_id, organization_id, $2, $3 FROM deletion
  WHERE deletion_request_id = $1 AND status = 'processing'
  ON CONFLICT DO NOTHING`;

const findOne = `SELECT * FROM pseudonym WHERE deletion_request_id = $1`;

const findSome = `
  SELECT deletion_request_id, pseudonym FROM pseudonym
  WHERE ${inNamedIds("deletion_request_id")}`;

const removeSome = `DELETE FROM pseudonym WHERE ${inNamedIds("deletion_request_id")}`;

const setPass = `
  UPDATE pseudonym SET pass_up_to = $2, pass_after = $3, pass_found = $4
  WHERE deletion_request_id = $1`;

const setVerified = `
  UPDATE pseudonym SET pass_up_to = NULL, pass_after = NULL, pass_found = false, verified_to = $2
  WHERE deletion_request_id = $1`;

const extendLease = `
  UPDATE deletion SET
    --sqlite lease_until = max(lease_until, $2)
    --postgres lease_until = greatest(lease_until, $2)
  WHERE deletion_request_id = $1 AND status = 'processing'`;

interface PseudonymRow {
  readonly pseudonym: string;
  readonly pass_up_to: number | null;
  readonly pass_after: string | null;
  readonly pass_found: number | boolean;
  readonly verified_to: number | null;
}

/** Chooses a pseudonym unless the deletion has one. */
export function* beginPartyErasure({
  deletionRequestId,
  organizationId,
}: Deletion): Statements<PartyErasure> {
  yield* run(insertPseudonym, deletionRequestId, organizationId, newPseudonym());
  const erasure = yield* findPartyErasure(deletionRequestId);
  if (erasure === undefined) throw new TypeError(`${deletionRequestId} has no pseudonym`);
  return erasure;
}

/** Undefined for a deletion that has not begun to replace an id. */
export function* findPartyErasure(deletionRequestId: string): Statements<PartyErasure | undefined> {
  const row = yield* get<PseudonymRow>(findOne, deletionRequestId);
  if (row === undefined) return undefined;
  const { pass_up_to: upTo, pass_after: after } = row;
  const found = Boolean(row.pass_found);
  return {
    pseudonym: row.pseudonym,
    pass: upTo === null ? undefined : { upTo, after: readPlace(after), found },
    verifiedTo: row.verified_to ?? undefined,
  };
}

/** By deletion; those that have one. */
export function* findPseudonyms(ids: readonly string[]): Statements<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = yield* all<{ deletion_request_id: string; pseudonym: string }>(findSome, ids);
  return new Map(rows.map((row) => [row.deletion_request_id, row.pseudonym]));
}

/** From then on nothing in the tables connects the id with its pseudonym. */
export function* removePseudonyms(ids: readonly string[]): Statements<void> {
  if (ids.length > 0) yield* run(removeSome, ids);
}

/** Stores a pseudonym again that was removed, unless the deletion has been completed. */
export function* putBackPseudonym(
  deletionRequestId: string,
  { pseudonym, verifiedTo }: PartyErasure,
): Statements<void> {
  yield* run(keepPseudonym, deletionRequestId, pseudonym, verifiedTo ?? null);
}

/** Stores how far the scan has come, and extends the lease. */
export function* noteScan(
  deletionRequestId: string,
  progress: ScanProgress,
  now: number,
): Statements<void> {
  if ("verifiedTo" in progress) yield* run(setVerified, deletionRequestId, progress.verifiedTo);
  else {
    const { upTo = null, after, found = false } = progress.pass ?? {};
    yield* run(setPass, deletionRequestId, upTo, writePlace(after), found);
  }
  yield* run(extendLease, deletionRequestId, now + limits.deletionLeaseMs);
}

function writePlace(place: Place | undefined): string | null {
  return place === undefined ? null : `${place.resourceType}/${place.resourceId}`;
}

function readPlace(text: string | null): Place | undefined {
  if (text === null) return undefined;
  const slash = text.indexOf("/");
  return { resourceType: text.slice(0, slash), resourceId: text.slice(slash + 1) };
}
