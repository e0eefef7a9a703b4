// The whole content of a store, through the interface that every engine has, for comparing two
// stores.

import { type Store } from "../../src/store/interface/store.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { storeSamples } from "../feature/samples.ts";
import type { AuditEntry } from "../../src/domain/access.ts";

const all = 10_000;

export async function readWhole(store: Store) {
  const organizations = await store.listOrganizations();
  const upTo = await store.latestArrival();
  const changes = [];
  const records = [];
  for (const { organizationId } of organizations) {
    for (const { resourceType } of recordTypes) {
      const page = { organizationId, resourceType, upTo, after: undefined, limit: all };
      const found = await store.listChanges(page);
      changes.push(...found.map((change) => ({ organizationId, resourceType, ...change })));
      for (const resourceId of new Set(found.map((change) => change.resourceId))) {
        const key = { organizationId, resourceType, resourceId };
        records.push({ key, seen: await store.findRecord(key), of: await store.readHistory(key) });
      }
    }
  }
  return {
    organizations,
    upTo,
    changes,
    records,
    keys: await store.listKeys(undefined),
    credentialsVersion: await store.credentialsVersion(),
    deletions: await store.listDeletions({ limit: all }),
    figures: await store.deletionFigures(Date.UTC(2100, 0, 1)),
    floors: await store.retention.listRules(undefined),
    proposals: await store.proposals.list({ limit: all }),
    ofFeatures: await Promise.all(storeSamples.map(({ read }) => read(store))),
    holds: await store.holds.list({ limit: all }),
    receipts: await store.listReceipts(0, all),
    receiptHead: await store.receiptHead(),
    saltKey: await store.receiptSaltKey(),
    receiptKeys: await store.listReceiptKeys(),
    integrity: await store.checkIntegrity(),
  };
}

export function readAudit(store: Store): Promise<readonly AuditEntry[]> {
  return store.listAudit(0, all);
}
