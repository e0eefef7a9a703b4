// What the overview of the console shows: the intake of this process, open and overdue deletions, the store and its last
// backup. Contains nothing about confidential types for somebody who may not know of them.

import type { AuditEntry } from "../domain/access.ts";
import { recordTypes } from "../domain/record-types.ts";
import type { DeletionQueue } from "../store/overview.ts";
import type { App } from "./app.ts";
import { hasRight, readHiddenTypes, requireRight } from "./require-right.ts";

/** Deletions are counted up to this number, so that the overview costs the same for any store. */
export const deletionsCountedMax = 10_000;

export interface Overview {
  readonly queue: DeletionQueue;
  /** It grows with every record, so undefined for somebody who may neither know of all nor operates the service. */
  readonly storeBytes: number | undefined;
  readonly engine: "sqlite" | "postgres";
  readonly lastBackup: AuditEntry | undefined;
  readonly organizations: number;
  /** The record types whose intake may be shown, in the order of the table. */
  readonly types: readonly string[];
}

/** Throws OperatorError not_permitted. */
export async function readOverview(app: App): Promise<Overview> {
  requireRight(app, "overview.read");
  const { store } = app;
  const hidden = await readHiddenTypes(app);
  const maySee = hasRight(app, "confidential.read") || hasRight(app, "health.read");
  const types = recordTypes.map(({ resourceType }) => resourceType);
  const [queue, storeBytes, lastBackup, organizations] = await Promise.all([
    store.overview.deletionQueue([...hidden], deletionsCountedMax, app.now()),
    store.overview.sizeBytes(),
    store.overview.lastBackup(),
    store.listOrganizations(),
  ]);
  return {
    queue,
    storeBytes: maySee ? storeBytes : undefined,
    engine: store.engine,
    lastBackup,
    organizations: organizations.length,
    types: types.filter((type) => !hidden.has(type)),
  };
}
