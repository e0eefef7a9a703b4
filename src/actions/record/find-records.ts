// Finds records by id for people, without their content. Shows nothing of confidential types to people who may not know
// of them.

import type { RecordKey, Sighting } from "../../domain/record/record-write.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { limits } from "../../domain/limits.ts";
import { validateIdentifier } from "../../domain/validation/validate.ts";
import type { App } from "../app.ts";
import { findOrganization } from "../access/find-organization.ts";
import { findType, nameTarget } from "./find-named-record.ts";
import { OperatorError, requireLine } from "../operator/operator-error.ts";
import { requireKnowledge, requireRight, viewerOf } from "../operator/viewer.ts";

export interface RecordQuery {
  readonly organizationId: string;
  readonly resourceType: string | undefined;
  readonly resourceId: string;
}

export type FoundRecord = RecordKey & Sighting;

/**
 * Returns at most one record of each type. Throws OperatorError not_permitted, invalid, no_such_organization and
 * no_such_type.
 */
export async function findRecords(app: App, query: RecordQuery): Promise<readonly FoundRecord[]> {
  const keys = await keysOf(app, query);
  const [first] = keys;
  if (first !== undefined) await requireFindable(app, first);
  const records = await Promise.all(keys.map((key) => find(app, key)));
  return records.filter((record) => record !== undefined);
}

async function keysOf(app: App, query: RecordQuery): Promise<readonly RecordKey[]> {
  const { organizationId, resourceId } = query;
  const types =
    query.resourceType === undefined
      ? await viewerOf(app).knownTypes(organizationId)
      : [findType(query.resourceType).resourceType];
  return types.map((resourceType) => ({ organizationId, resourceType, resourceId }));
}

const deletionsOfRecordMax = 5;

/** The last deletions of what has this id, for a record that is not there. Throws OperatorError not_permitted. */
export async function listDeletionsOf(app: App, query: RecordQuery): Promise<readonly Deletion[]> {
  requireRight(app, "deletion.read");
  const { organizationId } = query;
  const keys = await keysOf(app, query);
  const ofRecord = { organizationId, limit: deletionsOfRecordMax };
  const lists = keys.map((record) => app.store.listDeletions({ ...ofRecord, record }));
  return (await Promise.all(lists)).flat().filter(await viewerOf(app).knowledge(organizationId));
}

/** Throws OperatorError not_permitted, invalid, no_such_type, no_such_organization and no_such_record. */
export async function findRecord(app: App, key: RecordKey): Promise<FoundRecord> {
  await requireFindable(app, key);
  const record = await find(app, key);
  if (record !== undefined) return record;
  throw new OperatorError("no_such_record", `There is no ${nameTarget(key)}.`);
}

/**
 * Requires that a person may look for a record, whether or not it exists. Throws OperatorError not_permitted, invalid,
 * no_such_type and no_such_organization.
 */
export async function requireFindable(app: App, key: RecordKey): Promise<void> {
  requireRight(app, "record.find");
  findType(key.resourceType);
  requireLine("The organization", key.organizationId, limits.organizationIdCharactersMax);
  requireId(key.resourceId);
  await requireKnowledge(app, key);
  await findOrganization(app, key.organizationId);
}

function requireId(id: string): void {
  const [error] = validateIdentifier("the id of the record", id);
  if (error !== undefined) throw new OperatorError("invalid", `${error.field} ${error.message}.`);
}

async function find(app: App, key: RecordKey): Promise<FoundRecord | undefined> {
  const sighting = await app.store.findRecord(key);
  return sighting && { ...key, ...sighting };
}
