// A suspicion of crime about transactions; it belongs to them and to the alert that led to it.

import { dateTime, flag, identifier, identifiers, optional, required } from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";

export const transactionSuspiciousActivity = defineRecordType({
  resourceType: "transaction_suspicious_activity",
  idField: "suspicious_activity_id",
  family: "transactions",
  title: "Transaction suspicious activity",
  summary: "A suspicion of crime about transactions.",
  confidential: true,
  fields: {
    suspicious_activity_id: required(identifier("Unique identifier of the suspicious activity.")),
    detection_date: required(dateTime("When it was noticed.")),
    report_id: optional(identifier("The report to the authority.")),
    report_filed_at: optional(dateTime("When the report was filed.")),
    related_tx_ids: optional(identifiers("Transactions that it is about.")),
    related_alert_id: optional(identifier("Alert that led to it.")),
    is_test: optional(flag("Made for a test, not real.")),
  },
  relations: [
    { field: "related_tx_ids", to: "transaction", kind: "belongs" },
    { field: "related_alert_id", to: "transaction_alert", kind: "belongs" },
  ],
  example: {
    suspicious_activity_id: "suspicion-12",
    detection_date: "2026-02-01T08:00:00Z",
    report_id: "FIU-2026-0031",
    report_filed_at: "2026-02-02T16:45:00+01:00",
    related_tx_ids: ["tx-2026-000417"],
    related_alert_id: "alert-77",
    timestamp: "2026-02-02T16:45:00+01:00",
  },
});
