// Short functions that produce receipts: a service that has deleted something, and chains that are
// signed without a store.

import assert from "node:assert/strict";
import { type KeyObject } from "node:crypto";
import {
  type PublishedKeys,
  makeSealReceipt,
  publicPart,
} from "../../src/actions/receipt/receipt-keys.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import {
  noReceiptHash,
  type Receipt,
  type SealingHead,
} from "../../src/domain/deletion/receipt.ts";
import { makeKey } from "../../src/data-folder/receipt-key.ts";
import { toReceipt } from "../../src/store/row/deletion-row.ts";
import { sqliteTraits } from "../../src/store/sqlite/traits.ts";
import type { Customer } from "../support/customer.ts";
import type { Client } from "../support/http-client.ts";
import { waitFor } from "../support/wait-for.ts";

const at = Date.UTC(2026, 2, 1);

export function deletionOf(fields: Partial<Deletion> = {}): Deletion {
  return {
    deletionRequestId: "del_1",
    organizationId: "acme",
    resourceType: "transaction",
    resourceId: "tx-1",
    reason: "asked for",
    status: "completed",
    requestedBy: "key_1",
    requestedAt: at,
    dueAt: at,
    startedAt: at + 1,
    completedAt: at + 2,
    erased: { transaction: 1 },
    kept: {},
    restrictedOf: undefined,
    redacted: 0,
    redactedByType: {},
    attempts: 1,
    waitingFor: undefined,
    nextAttemptAt: undefined,
    floorUntil: undefined,
    ...fields,
  };
}

export const saltKey = "5a".repeat(32);

export interface Chain {
  readonly receipts: readonly Receipt[];
  readonly published: PublishedKeys;
}

/** The given number of receipts of one store, signed with one key. */
export function makeChain(
  count: number,
  { key = makeKey(), storeId = "store_a" }: { key?: KeyObject; storeId?: string } = {},
): Chain {
  const seal = makeSealReceipt(
    () => key,
    () => at,
  );
  let head: SealingHead = { storeId, receiptNo: 0, hash: noReceiptHash, saltKey };
  const receipts = Array.from({ length: count }, (_, index) => {
    const deletion = deletionOf({ deletionRequestId: `del_${index + 1}` });
    const { document, hash } = seal(deletion, { head, engine: sqliteTraits.verification });
    const receipt = toReceipt({ document });
    head = { ...head, receiptNo: receipt.receipt_no, hash };
    return receipt;
  });
  return { receipts, published: publish(key, storeId) };
}

export function publish(key: KeyObject, storeId = "store_a"): PublishedKeys {
  const { keyId, publicKey } = publicPart(key, at);
  const created_at = new Date(at).toISOString();
  return {
    store_id: storeId,
    keys: [
      {
        kty: "OKP",
        crv: "Ed25519",
        alg: "EdDSA",
        use: "sig",
        kid: keyId,
        x: publicKey,
        created_at,
      },
    ],
  };
}

export async function addTransaction(client: Client, customer: Customer, id: string) {
  const reply = await client.send({
    method: "POST",
    path: "/v2/transaction",
    token: customer.token,
    body: {
      tx_id: id,
      type: "DEPOSIT",
      method: "SEPA",
      amount: 5,
      currency: "EUR",
      status: "SETTLED",
      sender_id: "p-1",
      sender_country: "DE",
      timestamp: "2026-01-31T09:30:00Z",
    },
  });
  assert.equal(reply.status, 201, reply.text);
}

/** Returns the id of the deletion request. */
export async function requestDeletion(client: Client, { token }: Customer, id: string) {
  const reply = await client.send({
    method: "DELETE",
    path: "/v2/transaction",
    token,
    body: { tx_id: id, reason: `no longer needed: ${id}` },
  });
  assert.equal(reply.status, 200, reply.text);
  return String(reply.body["deletion_request_id"]);
}

/** The status object once it is completed. */
export function awaitCompletion(client: Client, { token }: Customer, deletionRequestId: string) {
  return waitFor("the deletion to be completed", async () => {
    const path = `/v2/deletion_request?deletion_request_id=${deletionRequestId}`;
    const { body } = await client.send({ method: "GET", path, token });
    return body["status"] === "completed" ? body : undefined;
  });
}

/** Adds a transaction, deletes it, and returns the status object. */
export async function deleteOne(client: Client, customer: Customer, id: string) {
  await addTransaction(client, customer, id);
  return awaitCompletion(client, customer, await requestDeletion(client, customer, id));
}
