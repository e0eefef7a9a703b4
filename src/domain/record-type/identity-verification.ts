// What was done to find out whether a person or a company is who they claim to be; it belongs to that person or
// company.

import {
  flag,
  identifier,
  listOf,
  object,
  oneOf,
  optional,
  required,
  text,
} from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";
import { atMostOneOf } from "../schema/rules.ts";

const types = ["DOCUMENT_MATCH", "DATABASE_MATCH", "MANUAL_VERIFICATION"];

const verifiedData = listOf(
  "What was verified, one by one.",
  object("One thing that was verified.", {
    type: required(text("What it is, such as a name or a date of birth.")),
    outcome: required(text("The result.")),
    value: optional(text("The value that was verified.")),
    is_matched_externally: optional(flag("Matched with an external source.")),
    is_manually_verified: optional(flag("Verified by a human.")),
  }),
);

export const identityVerification = defineRecordType({
  resourceType: "identity_verification",
  idField: "verification_id",
  family: "identity_verification",
  title: "Identity verification",
  summary: "What was done to find out whether a person or a company is who they claim to be.",
  fields: {
    verification_id: required(identifier("Unique identifier of the verification.")),
    verification_provider: required(text("Who did the verification.")),
    verified_data: required(verifiedData),
    verification_overall_outcome: optional(text("The overall result.")),
    verification_type: optional(oneOf("How it was done.", types)),
    related_person_id: optional(identifier("Person that it is about.")),
    related_company_id: optional(identifier("Company that it is about.")),
  },
  relations: [
    { field: "related_person_id", to: "person", kind: "belongs" },
    { field: "related_company_id", to: "company", kind: "belongs" },
  ],
  rules: [atMostOneOf("related_person_id", "related_company_id")],
  example: {
    verification_id: "verification-6",
    verification_provider: "Example Identity",
    verified_data: [{ type: "date_of_birth", outcome: "match", is_matched_externally: true }],
    verification_overall_outcome: "passed",
    verification_type: "DOCUMENT_MATCH",
    related_person_id: "person-81",
    timestamp: "2026-01-15T11:59:00Z",
  },
});
