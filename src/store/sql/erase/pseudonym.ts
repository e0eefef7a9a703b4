// The pseudonyms of parties that are being erased. A row exists only while its deletion is being processed, because it
// connects an erased id with its pseudonym.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { isPartyType, pseudonymFrom } from "../../../domain/deletion/party.ts";
import { inNamedIds, named } from "../statement/named.ts";
import { all, Rows, run, type Statements } from "../statement/statements.ts";
import { randomBytes } from "node:crypto";

const insertPseudonyms = `
  INSERT INTO pseudonym (deletion_request_id, organization_id, pseudonym)
  SELECT deletion_request_id, organization_id, named.pseudonym
  FROM ${named("id", "pseudonym")}
    --sqlite CROSS
    JOIN deletion ON deletion_request_id = named.id
  WHERE status = 'processing'
  ON CONFLICT DO NOTHING`;

const findSome = `
  SELECT deletion_request_id AS id, pseudonym FROM pseudonym
  WHERE ${inNamedIds("deletion_request_id")}`;

const removeSome = `DELETE FROM pseudonym WHERE ${inNamedIds("deletion_request_id")}`;

/** The pseudonyms by the ids of their deletions. */
export type Pseudonyms = ReadonlyMap<string, string>;

/** Chooses a pseudonym for each of these deletions that has none. */
export function* addPseudonyms(ids: readonly string[]): Statements<void> {
  yield* putBackPseudonyms(ids.map((id) => [id, newPseudonym()]));
}

/** Restores the pseudonyms of deletions that were not completed after their pseudonyms were removed. */
export function* putBackPseudonyms(
  taken: readonly (readonly [deletionRequestId: string, pseudonym: string])[],
): Statements<void> {
  if (taken.length > 0) yield* run(insertPseudonyms, new Rows(taken, 2));
}

/** The pseudonyms of those of these deletions that have one. */
export function* findPseudonyms(deletions: readonly Deletion[]): Statements<Pseudonyms> {
  const ofParties = deletions.filter(({ resourceType }) => isPartyType(resourceType));
  return yield* findByIds(ofParties.map(({ deletionRequestId }) => deletionRequestId));
}

function* findByIds(ids: readonly string[]): Statements<Pseudonyms> {
  if (ids.length === 0) return new Map();
  const rows = yield* all<{ id: string; pseudonym: string }>(findSome, ids);
  return new Map(rows.map(({ id, pseudonym }) => [id, pseudonym]));
}

/** Before a file is scrubbed, so that no byte connects them with the ids. The caller keeps or restores them. */
export function* takePseudonyms(ids: readonly string[]): Statements<Pseudonyms> {
  const taken = yield* findByIds(ids);
  yield* removePseudonyms([...taken.keys()]);
  return taken;
}

/** Removes pseudonyms for good. From then on nothing in the tables connects the ids with them. */
export function* removePseudonyms(ids: readonly string[]): Statements<void> {
  if (ids.length > 0) yield* run(removeSome, ids);
}

/** Chosen at random, so that nobody can compute one from the id or connect two of them. */
export function newPseudonym(): string {
  return pseudonymFrom(randomBytes(16).toString("hex"));
}
