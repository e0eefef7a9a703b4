// Previews a deletion: what it would erase if it were processed now, which records would stay without a reference, and
// what it waits for. Shows nothing of confidential types to people who may not know of them.

import type { Hold } from "../../domain/access.ts";
import { type Node, nodeKey, parseNodeKey, planErasure } from "../../domain/deletion/erasure.ts";
import { isPartyType, namingTypes } from "../../domain/deletion/party.ts";
import { recordTypes } from "../../domain/record-types.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { RetentionFloor } from "../../domain/retention/floor.ts";
import type { App } from "../app.ts";
import { type AffectedFloor, findAffectedFloors } from "./affected-floors.ts";
import { examinedMax, type NamingPart, readNamingPart } from "../record/namings.ts";
import { viewerOf } from "../operator/viewer.ts";

export interface DeletionPreview {
  /** The record itself, and the records that belong only to it. */
  readonly erased: readonly Node[];
  /** The records that stay and lose a reference. */
  readonly redacted: readonly Node[];
  /**
   * The transactions that stay, with a pseudonym for an erased id. If there are very many other transactions, only a
   * part is counted.
   */
  readonly pseudonymised: {
    readonly count: number;
    readonly isComplete: boolean;
    readonly examinedMax: number;
  };
  readonly holds: readonly Hold[];
  /** The floors that keep records which are erased, or changed unless the rule allows that. */
  readonly floors: readonly AffectedFloor[];
  /** False if there is more than was read. */
  readonly isComplete: boolean;
}

/** For how many records holds are read, and how many at a time. */
const holdsReadMax = 5_000;
const holdsAtOnce = 200;

/** Previews the deletion of a record that is pending, or not requested yet: then it counts as requested now. */
export async function previewDeletion(
  app: App,
  { requestedAt = app.now(), ...root }: RecordKey & { readonly requestedAt?: number },
): Promise<DeletionPreview> {
  const { organizationId, resourceType, resourceId } = root;
  const knows = await viewerOf(app).knowledge(organizationId);
  const known = recordTypes
    .map((type) => type.resourceType)
    .filter((type) => knows({ organizationId, resourceType: type }));
  const { edges, isComplete } = await app.store.overview.previewCascade(root, known);
  const plan = planErasure(nodeKey(resourceType, resourceId), edges);
  const erased = plan.erase.map(parseNodeKey).toReversed();
  const redacted = [...new Set(plan.redact.map(({ record }) => record))].map(parseNodeKey);
  const { confidential } = await viewerOf(app).reader(organizationId);
  // Others never delay a deletion: those that have to be kept move to the restricted store.
  const delays = ({ resourceType: type }: Pick<RecordKey, "resourceType">) =>
    type === resourceType || !confidential.has(type);
  const { named, ...pseudonymised } = await countNamings(app, organizationId, erased);
  const keysOf = (nodes: readonly Node[]) =>
    nodes
      .map(({ type, id }) => ({ organizationId, resourceType: type, resourceId: id }))
      .filter(delays);
  const affected = {
    erased: keysOf(erased),
    changed: [...keysOf(redacted), ...named.map((place) => ({ organizationId, ...place }))],
    isComplete: isComplete && pseudonymised.isComplete,
    requestedAt,
  };
  const keys = [...affected.erased, ...affected.changed];
  const types = { erased: typesOf(erased), changed: typesOf(redacted) };
  if (pseudonymised.count > 0 || !pseudonymised.isComplete) {
    for (const { resourceType: type } of namingTypes) types.changed.add(type);
  }
  const rules = (await app.store.retention.listFloors(organizationId)).filter(
    (floor) => isAffected(floor, types) && delays(floor),
  );
  const floors = await findAffectedFloors(app, rules, affected);
  const holds = await readHolds(app, keys);
  return { erased, redacted, pseudonymised, holds, floors, isComplete };
}

/** Holds on what is erased and on what is changed: each of them prevents the deletion. */
async function readHolds(app: App, keys: readonly RecordKey[]): Promise<readonly Hold[]> {
  const found: Hold[] = [];
  for (let at = 0; at < Math.min(keys.length, holdsReadMax); at += holdsAtOnce) {
    found.push(...(await app.store.holds.ofRecords(keys.slice(at, at + holdsAtOnce))));
  }
  return found;
}

function typesOf(nodes: readonly Node[]): Set<string> {
  return new Set(nodes.map(({ type }) => type));
}

function isAffected(
  { resourceType, redactable }: RetentionFloor,
  types: { readonly erased: ReadonlySet<string>; readonly changed: ReadonlySet<string> },
): boolean {
  return types.erased.has(resourceType) || (!redactable && types.changed.has(resourceType));
}

async function countNamings(
  app: App,
  organizationId: string,
  erased: readonly Node[],
): Promise<DeletionPreview["pseudonymised"] & { readonly named: NamingPart["records"] }> {
  const party = erased.find(({ type }) => isPartyType(type))?.id;
  if (party === undefined) return { named: [], count: 0, isComplete: true, examinedMax };
  const { records: named, last } = await readNamingPart(app, {
    organizationId,
    party,
    after: undefined,
  });
  return { named, count: named.length, isComplete: last === undefined, examinedMax };
}
