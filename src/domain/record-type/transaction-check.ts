// A check that was run on transactions; it belongs to them.

import { flag, identifier, identifiers, oneOf, optional, required } from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";

/** Alerts have the types of the checks that raise them. */
export const checkTypes = ["INLINE_MONITORING", "DELAYED_MONITORING"];
const statuses = ["PENDING", "COMPLETED", "REQUESTED", "ASSIGNED", "FAILED"];

export const transactionCheck = defineRecordType({
  resourceType: "transaction_check",
  idField: "check_id",
  family: "transactions",
  title: "Transaction check",
  summary: "A check that was run on transactions.",
  fields: {
    check_id: required(identifier("Unique identifier of the check.")),
    status: required(oneOf("How far the check has come.", statuses)),
    type: required(oneOf("Whether the transaction waited for the check.", checkTypes)),
    is_test: optional(flag("Made for a test, not real.")),
    related_tx_ids: optional(identifiers("Transactions that were checked.")),
    related_tx_id: optional(
      identifier("Transaction that was checked; send `related_tx_ids` instead.", {
        deprecated: true,
      }),
    ),
  },
  relations: [
    { field: "related_tx_ids", to: "transaction", kind: "belongs" },
    { field: "related_tx_id", to: "transaction", kind: "belongs" },
  ],
  example: {
    check_id: "check-5501",
    status: "COMPLETED",
    type: "INLINE_MONITORING",
    related_tx_ids: ["tx-2026-000417"],
    timestamp: "2026-01-31T09:30:01Z",
  },
});
