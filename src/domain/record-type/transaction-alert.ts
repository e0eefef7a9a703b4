// An alert that a check of transactions raised; it belongs to its check and to the transactions.

import { flag, identifier, identifiers, oneOf, optional, required } from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";
import { checkTypes } from "./transaction-check.ts";

const statuses = ["CREATED", "PENDING", "CLOSED"];

export const transactionAlert = defineRecordType({
  resourceType: "transaction_alert",
  idField: "alert_id",
  family: "transactions",
  title: "Transaction alert",
  summary: "An alert that a check of transactions raised.",
  fields: {
    alert_id: required(identifier("Unique identifier of the alert.")),
    status: required(oneOf("How far the alert has come.", statuses)),
    check_type: optional(oneOf("Type of the check that raised it.", checkTypes)),
    related_check_id: optional(identifier("Check that raised it.")),
    related_tx_ids: optional(identifiers("Transactions that it is about.")),
    is_test: optional(flag("Made for a test, not real.")),
  },
  relations: [
    { field: "related_check_id", to: "transaction_check", kind: "belongs" },
    { field: "related_tx_ids", to: "transaction", kind: "belongs" },
  ],
  example: {
    alert_id: "alert-77",
    status: "CREATED",
    check_type: "INLINE_MONITORING",
    related_check_id: "check-5501",
    related_tx_ids: ["tx-2026-000417"],
    timestamp: "2026-01-31T09:30:02Z",
  },
});
