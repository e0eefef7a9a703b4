// Writes transactions and other records to the store without the command line, through the action that the API uses.

import { type App, currentTimeOf } from "../../src/actions/app.ts";
import { requestDeletion } from "../../src/actions/deletion/request-deletion.ts";
import {
  type SubmissionOptions,
  type WriteReport,
  writeRecords,
} from "../../src/actions/intake/submission.ts";
import { findType } from "../../src/actions/record/find-named-record.ts";
import type { Payload } from "../../src/domain/record-type.ts";

export const complete = {
  type: "DEPOSIT",
  method: "SEPA",
  amount: 10,
  currency: "EUR",
  status: "CREATED",
  sender_id: "person-1",
  sender_country: "DE",
  timestamp: "2026-01-31T09:30:00Z",
};

export async function addTransaction(
  app: App,
  organizationId: string,
  fields: Payload & { readonly tx_id: string },
): Promise<void> {
  await addRecord(app, organizationId, { type: "transaction", fields: { ...complete, ...fields } });
}

export async function addRecord(
  app: App,
  organizationId: string,
  { type, fields }: { readonly type: string; readonly fields: Payload },
): Promise<void> {
  await writeOne(app, { organizationId, type: findType(type), mode: "append" }, fields);
}

export async function updateTransaction(
  app: App,
  organizationId: string,
  fields: Payload & { readonly tx_id: string; readonly timestamp: string },
): Promise<void> {
  await writeOne(app, { organizationId, type: findType("transaction"), mode: "update" }, fields);
}

function writeOne(
  app: App,
  about: Pick<SubmissionOptions, "organizationId" | "type" | "mode">,
  fields: Payload,
): Promise<WriteReport> {
  const { timestampMin } = app;
  const arrival = { receivedAt: currentTimeOf(app), timestampMin };
  const options = { ...about, ...arrival, lenient: false, single: true };
  return writeRecords(app, options, { items: [fields] });
}

export function deleteTransaction(
  app: App,
  organizationId: string,
  { txId, graceSeconds = 0 }: { txId: string; graceSeconds?: number },
): Promise<string> {
  const caller = {
    organizationId,
    organizationName: organizationId,
    keyId: "key_test",
    actor: "key_test",
    expiresAt: Number.POSITIVE_INFINITY,
    covered: new Set<never>(),
    confidential: new Set<never>(),
    rateLimitPerSecond: undefined,
    deletionGraceSeconds: graceSeconds,
  };
  const type = findType("transaction");
  return requestDeletion(app, caller, { type, id: txId, reason: "asked by the customer" });
}
