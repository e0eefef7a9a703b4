// A search for a party of a transaction, a person or a company in lists of sanctions and the like; it belongs to what
// it is about.

import { identifier, listOf, longText, oneOf, optional, required, text } from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";
import { atMostOneOf } from "../schema/rules.ts";

const types = ["ADVERSE_MEDIA", "AML", "PEP", "SANCTION"];
const outcomes = [
  "POSITIVE",
  "NEGATIVE",
  "FALSE_NEGATIVE",
  "FALSE_POSITIVE",
  "TRUE_NEGATIVE",
  "TRUE_POSITIVE",
  "SCREENED",
];

export const screening = defineRecordType({
  resourceType: "screening",
  idField: "screening_id",
  family: "screening",
  title: "Screening",
  summary: "A search in lists of sanctions, politically exposed persons and the like.",
  fields: {
    screening_id: required(identifier("Unique identifier of the screening.")),
    type: required(oneOf("What was searched for.", types)),
    outcome: required(oneOf("The result.", outcomes)),
    provider: required(text("Who did the screening.")),
    lists: required(listOf("Lists that were searched.", text("A list."))),
    outcome_details: optional(longText("More about the outcome.")),
    related_tx_id: optional(identifier("Transaction that it is about.")),
    related_person_id: optional(identifier("Person that it is about.")),
    related_company_id: optional(identifier("Company that it is about.")),
  },
  relations: [
    { field: "related_tx_id", to: "transaction", kind: "belongs" },
    { field: "related_person_id", to: "person", kind: "belongs" },
    { field: "related_company_id", to: "company", kind: "belongs" },
  ],
  rules: [atMostOneOf("related_tx_id", "related_person_id", "related_company_id")],
  example: {
    screening_id: "screening-9",
    type: "SANCTION",
    outcome: "NEGATIVE",
    provider: "Example Screening",
    lists: ["EU consolidated list", "OFAC SDN"],
    related_person_id: "person-81",
    timestamp: "2026-01-15T12:00:00Z",
  },
});
