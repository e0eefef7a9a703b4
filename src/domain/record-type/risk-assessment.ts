// An assessment of the risk of a person or a company, to which it belongs.

import { identifier, optional, required, text } from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";
import { atMostOneOf } from "../schema/rules.ts";

export const riskAssessment = defineRecordType({
  resourceType: "risk_assessment",
  idField: "assessment_id",
  family: "risk_assessment",
  title: "Risk assessment",
  summary: "An assessment of the risk of a person or a company.",
  fields: {
    assessment_id: required(identifier("Unique identifier of the risk assessment.")),
    type: required(text('What was assessed, such as "onboarding risk band".')),
    outcome: required(text("The result, such as LOW, MEDIUM, HIGH or CRITICAL.")),
    related_person_id: optional(identifier("Person that it is about.")),
    related_company_id: optional(identifier("Company that it is about.")),
  },
  relations: [
    { field: "related_person_id", to: "person", kind: "belongs" },
    { field: "related_company_id", to: "company", kind: "belongs" },
  ],
  rules: [atMostOneOf("related_person_id", "related_company_id")],
  example: {
    assessment_id: "assessment-3",
    type: "onboarding risk band",
    outcome: "LOW",
    related_person_id: "person-81",
    timestamp: "2026-01-15T12:05:00Z",
  },
});
