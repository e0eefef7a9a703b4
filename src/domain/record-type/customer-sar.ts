// A suspicious activity report about a customer; it belongs to the person or the company, or to both.

import { identifier, longText, oneOf, optional, required } from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";
import { atLeastOneOf } from "../schema/rules.ts";

const statuses = ["PENDING", "FILED", "CANCELLED"];

export const customerSar = defineRecordType({
  resourceType: "customer_sar",
  idField: "sar_id",
  family: "customer_sar",
  title: "Customer SAR",
  summary: "A suspicious activity report about a customer.",
  confidential: true,
  fields: {
    sar_id: required(identifier("Unique identifier of the report.")),
    status: required(oneOf("How far the report has come.", statuses)),
    sar_reason: optional(longText("Why it is made.")),
    related_person_id: optional(identifier("Person that it is about.")),
    related_company_id: optional(identifier("Company that it is about.")),
  },
  relations: [
    { field: "related_person_id", to: "person", kind: "belongs" },
    { field: "related_company_id", to: "company", kind: "belongs" },
  ],
  rules: [atLeastOneOf("related_person_id", "related_company_id")],
  example: {
    sar_id: "sar-2",
    status: "FILED",
    sar_reason: "structuring",
    related_person_id: "person-81",
    timestamp: "2026-02-03T09:00:00Z",
  },
});
