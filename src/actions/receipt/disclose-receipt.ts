// Gives operators the numbers that the receipt of a deletion commits to, with their salts, so that they can pass them
// to somebody who has the receipt. Records in the audit trail who asked, and for which types.

import type {
  CountKind,
  DisclosedCount,
  Disclosures,
} from "../../domain/deletion/receipt-count.ts";
import type { ResourceType } from "../../domain/record-type.ts";
import { allScopes } from "../../domain/scope.ts";
import { actOf, type App } from "../app.ts";
import { findDeletion } from "../record/find-named-record.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireRight, showing, viewerOf } from "../operator/viewer.ts";
import { findReceipt } from "../deletion/read-deletion.ts";
import { discloseCounts, discloseStatements, type DisclosedStatements } from "./receipt-counts.ts";

export interface DisclosureRequest {
  readonly deletionRequestId: string;
  /** If false, no number discloses that there was a record of a confidential type. */
  readonly includeConfidential: boolean;
}

/** A disclosure as it is stored in a file and passed on. */
export interface DisclosureDocument extends DisclosedStatements {
  readonly deletion_request_id: string;
  readonly receipt_no: number;
  readonly disclosures: Disclosures;
}

/** Throws OperatorError not_permitted, no_such_deletion and no_receipt. */
export async function discloseReceipt(
  app: App,
  { deletionRequestId, includeConfidential }: DisclosureRequest,
): Promise<DisclosureDocument> {
  requireRight(app, "receipt.disclose");
  const deletion = await findDeletion(showing(app, { includeConfidential }), deletionRequestId);
  const { organizationId } = deletion;
  const { confidential } = await viewerOf(app).reader(organizationId);
  const reader = { confidential, covered: new Set(allScopes) };
  const hidden: ReadonlySet<ResourceType> = includeConfidential ? new Set() : confidential;
  const receipt = await findReceipt(app, deletion);
  if (receipt === undefined) {
    throw new OperatorError(
      "no_receipt",
      `The deletion ${deletionRequestId} is not completed. There is nothing to disclose.`,
    );
  }
  const saltKey = await app.store.receiptSaltKey();
  const all = discloseCounts(receipt, deletion, { saltKey, reader });
  const disclosed = Object.entries(all).flatMap(([type, byKind]) =>
    hidden.has(type) ? [] : [[type, includeConfidential ? byKind : withoutKept(byKind)] as const],
  );
  const disclosures = Object.fromEntries(disclosed);
  const detail = {
    receiptNo: receipt.receipt_no,
    types: Object.keys(disclosures),
    includeConfidential,
  };
  const about = { organizationId, subject: deletionRequestId, detail };
  await app.store.trail.note({ ...about, action: "receipt.disclose" }, actOf(app));
  return {
    deletion_request_id: deletionRequestId,
    receipt_no: receipt.receipt_no,
    disclosures,
    ...discloseStatements(receipt, deletion, saltKey),
  };
}

function withoutKept({
  kept: _kept,
  ...rest
}: Disclosures[string]): Partial<Record<CountKind, DisclosedCount>> {
  return rest;
}
