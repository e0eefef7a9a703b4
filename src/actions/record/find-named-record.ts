// The record that an operator named, by type and id or by one of its deletion requests. Errors list what exists.

import type { RecordKey } from "../../domain/record/record-write.ts";
import { recordTypeByName, recordTypes } from "../../domain/record-types.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { adviseName } from "../../domain/validation/suggest.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { ownerOf } from "../../domain/deletion/restricted-set.ts";
import type { App } from "../app.ts";
import { findOrganization } from "../access/find-organization.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireKnowledge, viewerOf } from "../operator/viewer.ts";

export type Target = RecordKey | { readonly deletionRequestId: string };

/**
 * The record need not exist. Throws OperatorError no_such_type, not_permitted, no_such_organization and
 * no_such_deletion; the record need not exist.
 */
export async function findTarget(app: App, target: Target): Promise<RecordKey> {
  if ("deletionRequestId" in target) {
    const { organizationId, resourceType, resourceId } = await findDeletion(
      app,
      target.deletionRequestId,
    );
    return { organizationId, resourceType, resourceId };
  }
  findType(target.resourceType);
  await requireKnowledge(app, target);
  await findOrganization(app, target.organizationId);
  return target;
}

/** Throws OperatorError no_such_type. */
export function findType(name: string): RecordType {
  const type = recordTypeByName(name);
  if (type !== undefined) return type;
  const names = recordTypes.map(({ resourceType }) => resourceType);
  throw new OperatorError(
    "no_such_type",
    name === ""
      ? "Choose a record type."
      : `There is no record type "${name}"${adviseName(name, names) || "."} ` +
          `The types are: ${names.join(", ")}.`,
  );
}

/** The error for a person who names a confidential type, whether or not there are records of it. */
export function confidentialType(resourceType: string): OperatorError {
  return new OperatorError("confidential_type", `The type ${resourceType} is confidential.`);
}

/**
 * Finds a deletion, with what the worker last found that it waits for. Throws OperatorError no_such_deletion, also for
 * a deletion that this person may not know of.
 */
export async function findDeletion(app: App, deletionRequestId: string): Promise<Deletion> {
  const deletion = await app.store.findDeletion(deletionRequestId, undefined);
  if (deletion !== undefined && (await viewerOf(app).knows(deletion))) return deletion;
  throw noSuchDeletion(deletionRequestId);
}

export function noSuchDeletion(deletionRequestId: string): OperatorError {
  const message = `There is no deletion request "${deletionRequestId}".`;
  return new OperatorError("no_such_deletion", message);
}

/** "transaction tx-1 of organization acme", for messages to operators. */
export function nameTarget(key: RecordKey & { readonly restrictedOf?: string }): string {
  const { resourceType, resourceId } = key;
  return `${resourceType} "${resourceId}" of organization "${ownerOf(key)}"`;
}
