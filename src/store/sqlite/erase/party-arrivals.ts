// What the writer does for the scan for records that name erased parties: it stores the progress of the scan, and searches
// what arrived since, in bounded steps and for the last time when the deletion is completed.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { isPartyType, namingTypes } from "../../../domain/deletion/party.ts";
import type { PartyErasure, Place, ScanProgress } from "../../interface/naming.ts";
import type { PartyErasing } from "../../shared/party-scan.ts";
import { putOff } from "../../sql/erase/claim.ts";
import { readExistingDeletion } from "../../sql/erase/deletion.ts";
import { readConfidentialTypes } from "../../sql/access/organization.ts";
import { extendPlan } from "../../sql/erase/write-plan.ts";
import { findLateNamings } from "../../sql/erase/naming.ts";
import { findHoldObstacle, planningOf } from "../../sql/erase/plan.ts";
import {
  beginPartyErasure,
  findPartyErasure,
  noteScan,
  putBackPseudonym,
  removePseudonyms,
} from "../../sql/erase/pseudonym.ts";
import type { Act } from "../../interface/store.ts";
import type { Group } from "../commit/group.ts";
import type { Connection } from "../connection.ts";

/** Changes that one transaction of the writer searches. */
const arrivalsAtOnce = 2_000;

const readArrival = `SELECT value FROM counter WHERE name = 'arrival'`;

/** Only of deletions that are being processed. */
export function beginPartyErasures(
  { connection }: Group,
  ids: readonly string[],
): readonly PartyErasing[] {
  const deletions = ids.map((id) => connection.perform(readExistingDeletion, id));
  return deletions
    .filter(({ status }) => status === "processing")
    .map((deletion) => ({ deletion, erasure: connection.perform(beginPartyErasure, deletion) }));
}

export function noteScans(
  { connection }: Group,
  deletionRequestId: string,
  progress: ScanProgress,
  { now }: Act,
): void {
  connection.perform(noteScan, deletionRequestId, progress, now);
}

export type LateResult =
  | { readonly result: "clean" }
  | { readonly result: "found" }
  | { readonly result: "held"; readonly waitingFor: string };

/**
 * Searches a limited number of the changes that arrived since the last pass, and adds to the plan the records that name the
 * party. `partly`: there are many more; the last few are left to the last verification pass.
 */
export function verifyNextNamings(
  connection: Connection,
  deletion: Deletion,
  act: Act,
): LateResult | { readonly result: "partly" } {
  if (!isPartyType(deletion.resourceType)) return { result: "clean" };
  const { deletionRequestId } = deletion;
  const from = connection.perform(findPartyErasure, deletionRequestId)?.verifiedTo;
  // The scan has not ended.
  if (from === undefined) return { result: "found" };
  const latest = readLatest(connection);
  const to = Math.min(latest, from + arrivalsAtOnce);
  const places = connection.perform(findLateNamings, deletion, { from, to });
  if (places.length > 0) return addToPlan(connection, deletion, { places, act });
  if (to > from) {
    connection.perform(noteScan, deletionRequestId, { verifiedTo: to }, act.now);
  }
  return { result: latest - to > arrivalsAtOnce ? "partly" : "clean" };
}

/**
 * Removes the pseudonym before the file is scrubbed, so that the completed deletion leaves no byte that connects it with the
 * id. The caller keeps it in memory until the deletion is completed, or puts it back.
 */
export function takePseudonym(
  connection: Connection,
  { deletionRequestId }: Deletion,
): PartyErasure | undefined {
  const erasure = connection.perform(findPartyErasure, deletionRequestId);
  if (erasure !== undefined) connection.perform(removePseudonyms, [deletionRequestId]);
  return erasure;
}

/** For deletions that were not completed. */
export function putBackPseudonyms(
  { connection }: Group,
  taken: readonly (readonly [deletionRequestId: string, erasure: PartyErasure])[],
): void {
  for (const [deletionRequestId, erasure] of taken) {
    connection.perform(putBackPseudonym, deletionRequestId, erasure);
  }
}

/** The same for all that arrived since, in the transaction that completes the deletion. */
export function verifyLastNamings(
  group: Group,
  deletion: Deletion,
  { act, erasure }: { readonly act: Act; readonly erasure: PartyErasure | undefined },
): LateResult {
  if (!isPartyType(deletion.resourceType)) return { result: "clean" };
  const { connection } = group;
  const from = erasure?.verifiedTo;
  if (from === undefined) return { result: "found" };
  if (!partiesSince(group, from).has(deletion.resourceId)) return { result: "clean" };
  const range = { from, to: readLatest(connection) };
  const places = connection.perform(findLateNamings, deletion, range);
  if (places.length === 0) return { result: "clean" };
  return addToPlan(connection, deletion, { places, act });
}

function readLatest(connection: Connection): number {
  return connection.get<{ value: number }>(readArrival)?.value ?? 0;
}

const partyFields = namingTypes.flatMap((type) => type.partyFields);
const named = partyFields.map((field) => `payload ->> '${field}' AS ${field}`).join(", ");

/** Later changes that arrive while a deletion of their organization is open are in the index. */
const findNamed = `
  SELECT ${named} FROM change WHERE record_no > ?1
  UNION ALL
  SELECT ${named} FROM change INDEXED BY change_later WHERE digest IS NOT NULL AND change_no > ?1`;

interface Named {
  readonly from: number;
  readonly parties: ReadonlySet<string>;
}

/** For each transaction that completes deletions: they share one search. */
const namedSince = new WeakMap<Group, Named>();

/** Every party, of any organization, that a change after this arrival number names; perhaps some more. */
function partiesSince(group: Group, from: number): ReadonlySet<string> {
  const known = namedSince.get(group);
  if (known !== undefined && known.from <= from) return known.parties;
  const parties = new Set<string>();
  for (const row of group.connection.each<Readonly<Record<string, string | null>>>(
    findNamed,
    from,
  )) {
    for (const party of Object.values(row)) if (party !== null) parties.add(party);
  }
  namedSince.set(group, { from, parties });
  return parties;
}

function addToPlan(
  connection: Connection,
  deletion: Deletion,
  { places, act }: { readonly places: readonly Place[]; readonly act: Act },
): LateResult {
  const records = places.map(({ resourceType, resourceId }) => nodeKey(resourceType, resourceId));
  const confidential = connection.perform(readConfidentialTypes, deletion.organizationId);
  const planning = planningOf(deletion, act.now, confidential);
  const obstacle = connection.perform(findHoldObstacle, records, planning);
  if (obstacle !== undefined) {
    connection.perform(putOff, deletion, obstacle, act.now);
    return { result: "held", waitingFor: obstacle.waitingFor };
  }
  const reference = nodeKey(deletion.resourceType, deletion.resourceId);
  const targets = records.map((record) => ({ record, reference, restricted: false }));
  connection.perform(extendPlan, deletion, targets);
  return { result: "found" };
}
