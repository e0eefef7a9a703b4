// Reads what the overview page of the console shows: the intake of this process, open and overdue deletions, the store
// and its last backup. Shows nothing of confidential types to people who may not know of them.

import type { AuditEntry, Organization } from "../../domain/access.ts";
import { isConfidential } from "../../domain/confidentiality.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";
import type { EngineTraits } from "../../store/interface/engine-traits.ts";
import type { DeletionQueue } from "../../store/interface/overview.ts";
import type { App } from "../app.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";

/** Deletions are counted up to this number, so that the overview costs the same for any store. */
export const deletionsCountedMax = 1_000;

export interface Overview {
  readonly queue: DeletionQueue;
  /** It grows with every record, so only people who know of all records or operate the service may see it. */
  readonly storeBytes: number | undefined;
  readonly engine: EngineTraits;
  readonly lastBackup: AuditEntry | undefined;
  readonly organizations: number;
  readonly types: readonly IntakeType[];
  /** Whether deletions of confidential records and of closed organizations are counted. */
  readonly countsConfidential: boolean;
}

/** `partly`: without organizations in which the type is confidential; `none`: it is confidential everywhere. */
export interface IntakeType {
  readonly resourceType: string;
  readonly counted: "all" | "partly" | "none";
}

export async function readQueue(app: App): Promise<DeletionQueue> {
  return app.store.overview.deletionQueue({
    hiddenTypes: [...(await viewerOf(app).hiddenTypes())],
    ofClosed: hasRight(app, "confidential.read"),
    countedMax: deletionsCountedMax,
    now: app.now(),
  });
}

export async function readOverview(app: App): Promise<Overview> {
  requireRight(app, "overview.read");
  const { store } = app;
  const hidden = await viewerOf(app).hiddenTypes();
  const isOfficer = hasRight(app, "confidential.read");
  const [queue, storeBytes, lastBackup, organizations] = await Promise.all([
    readQueue(app),
    store.overview.sizeBytes(),
    store.overview.lastBackup(),
    store.listOrganizations(),
  ]);
  return {
    queue,
    storeBytes: isOfficer || hasRight(app, "health.read") ? storeBytes : undefined,
    engine: store.traits,
    lastBackup,
    organizations: organizations.length,
    types: recordTypes
      .map((type) => ({ resourceType: type.resourceType, counted: coverage(type, organizations) }))
      .filter(({ resourceType }) => !hidden.has(resourceType)),
    countsConfidential: isOfficer,
  };
}

function coverage(type: RecordType, organizations: readonly Organization[]): IntakeType["counted"] {
  if (isConfidential(type)) return "none";
  const isPartly = organizations.some(({ confidentialTypes: added = [] }) =>
    added.includes(type.resourceType),
  );
  return isPartly ? "partly" : "all";
}
