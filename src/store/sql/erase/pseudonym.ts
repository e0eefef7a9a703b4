// The pseudonyms of parties that are being erased. A row exists only while its deletion is being processed, because it
// connects an erased id with its pseudonym. While a report has to be kept whose parties officers must be able to name,
// the restricted set of the deletion also keeps a reference from the report to the pseudonym.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { isPartyType, pseudonymFrom } from "../../../domain/deletion/party.ts";
import { inNamedIds, named, namedDeletion } from "../statement/named.ts";
import { all, Rows, run, type Statements, lock } from "../statement/statements.ts";
import { randomBytes } from "node:crypto";
import { readConfidentialTypes } from "../access/organization.ts";
import type { RedactionOptions, Renamed } from "./redact-long.ts";
import { nodeKeyOf } from "../../../domain/deletion/erasure.ts";
import { noteReferences } from "../plan/restricted-reference.ts";
import { findSupportedReports } from "../plan/supported-reports.ts";

const insertPseudonyms = `
  INSERT INTO pseudonym (deletion_request_id, organization_id, pseudonym)
  SELECT deletion_request_id, organization_id, named.pseudonym
  FROM ${named("id", "pseudonym")}
    --sqlite CROSS
    JOIN deletion ON ${namedDeletion}
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

/** The pseudonyms of the parties that these deletions erase, as far as they have one. */
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

/** Must run with the replacements. As many statements without a report: on PostgreSQL the time would disclose it. */
export function* keepPseudonyms(
  renamed: readonly Renamed[],
  { deletions, pseudonyms, act: { now } }: RedactionOptions,
): Statements<void> {
  const byDeletion = Map.groupBy(renamed, ({ id }) => id);
  const renamings = deletions.flatMap((deletion) => {
    const { deletionRequestId: id } = deletion;
    const [found, pseudonym] = [byDeletion.get(id), pseudonyms.get(id)];
    if (found === undefined || pseudonym === undefined) return [];
    return [{ deletion, pseudonym, records: found.map(({ key }) => key) }];
  });
  const byOwner = Map.groupBy(renamings, ({ deletion }) => deletion.organizationId);
  for (const [organizationId, some] of byOwner) {
    const confidential = yield* readConfidentialTypes(organizationId);
    const concerned = some.flatMap((one) =>
      one.records.map((key) => [nodeKeyOf(key), one] as const),
    );
    // Whatever a deletion was allowed before a restore, the report has to be kept now.
    const kept = yield* findSupportedReports(concerned, { organizationId, confidential, now });
    // A deletion that moves one of them later finds the reference.
    yield* lock(kept);
    yield* noteReferences(
      kept.map(({ cause: { deletion, pseudonym }, ...report }) => ({
        deletionRequestId: deletion.deletionRequestId,
        report,
        to: { type: deletion.resourceType, id: pseudonym },
      })),
    );
  }
}
