// The client's collections for tests over all record types, where their own types are of no use.

import assert from "node:assert/strict";
import { collectionName } from "../../client/generate/collections.ts";
import type { Collection, DeletableCollection, Sluice } from "../../client/src/sluice.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import type { Fields } from "../support/record-generator.ts";
import type { Site } from "./real-site.ts";

export type AnyCollection = Collection<Fields, Fields, Fields>;
export type AnyDeletable = DeletableCollection<Fields, Fields, Fields, Fields>;

export function collectionOf(client: Sluice, type: RecordType): AnyCollection {
  const found = (client as unknown as Record<string, AnyCollection>)[collectionName(type)];
  assert.ok(found !== undefined, `the client has no ${collectionName(type)}`);
  return found;
}

export function deletableOf(client: Sluice, type: RecordType): AnyDeletable {
  return collectionOf(client, type) as AnyDeletable;
}

/** A record and the timestamps of all changes that were sent for it, in order. */
export interface Sent {
  readonly type: RecordType;
  readonly id: string;
  readonly timestamps: readonly unknown[];
}

/** Reads the store: each record has exactly the changes that were sent, once, in that order. */
export async function assertStored(
  { server, customer }: Site,
  all: readonly Sent[],
): Promise<void> {
  const { organizationId } = customer;
  await server.operate(async (app) => {
    for (const { type, id, timestamps } of all) {
      const key = { organizationId, resourceType: type.resourceType, resourceId: id };
      const history = await app.store.readHistory(key);
      const stored = history?.changes.map(({ payload }) => timestampIn(payload)) ?? [];
      assert.deepEqual(stored, timestamps, `${type.resourceType} ${id}`);
    }
  });
}

function timestampIn(payload: string): unknown {
  return (JSON.parse(payload) as Fields)["timestamp"];
}
