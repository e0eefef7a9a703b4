// Lookups that are requested at the same time share a transaction, as writes do.

import { keyText, type RecordKey, type Sighting } from "../../../domain/record/record-write.ts";
import type { Statements } from "../../sql/statement/statements.ts";
import type { Database } from "../database.ts";
import { GroupQueue } from "./group-queue.ts";
import { findRecords } from "./record.ts";
import { inSequence } from "./settle-all.ts";

/** Those of all organizations take turns as one: whose a credential is, is not known. */
const ofNobody = { organizationId: "", rows: 1, bytes: 0 } as const;

/** A flood of guesses would otherwise open all connections, which takes the server longer than the lookups. */
export function makeCredentialQueue<Found>(
  database: Database,
  find: (secretHash: Uint8Array) => Statements<Found>,
): GroupQueue<Uint8Array, Found> {
  return new GroupQueue<Uint8Array, Found>({
    run: (hashes) =>
      database.inOneGo({ view: "credentials" }, (transaction) =>
        inSequence(hashes.map((hash) => transaction.perform(find, hash))),
      ),
    sizeOf: () => ofNobody,
    kindOf: () => "credential",
  });
}

export function makeLookUpQueue(database: Database): GroupQueue<RecordKey, Sighting | undefined> {
  return new GroupQueue<RecordKey, Sighting | undefined>({
    run: async (keys) => {
      const organizations = new Set(keys.map(({ organizationId }) => organizationId));
      const records = await database.inOneGo({ organizations }, (transaction) =>
        findRecords(transaction, keys),
      );
      return keys.map((key) => records.get(keyText(key)));
    },
    sizeOf: ({ organizationId }) => ({ organizationId, rows: 1, bytes: 0 }),
    kindOf: () => "look-up",
  });
}
