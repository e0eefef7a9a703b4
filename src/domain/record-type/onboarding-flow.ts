// The course of the onboarding of a person or a company, to which it belongs.

import { either, identifier, jsonMap, optional, required, text } from "../schema/fields.ts";
import { limits } from "../limits.ts";
import { defineRecordType } from "../record-type.ts";
import { atMostOneOf, jsonIn } from "../schema/rules.ts";

const outcomeReason = either(
  `The reason of the result: one text, or any JSON values under keys of the sender's own, at most ${limits.jsonFieldDepthMax} levels deep.`,
  [text("The reason."), jsonMap("The reasons, by key.")],
  "text, or an object",
);

export const onboardingFlow = defineRecordType({
  resourceType: "onboarding_flow",
  idField: "onboarding_flow_id",
  family: "onboarding_flow",
  title: "Onboarding flow",
  summary: "The course and the result of the onboarding of a person or a company.",
  fields: {
    onboarding_flow_id: required(identifier("Unique identifier of the onboarding flow.")),
    flow_name: required(text("Name of the flow.")),
    outcome: required(text("The result.")),
    outcome_reason: optional(outcomeReason),
    related_person_id: optional(identifier("Person that it is about.")),
    related_company_id: optional(identifier("Company that it is about.")),
  },
  relations: [
    { field: "related_person_id", to: "person", kind: "belongs" },
    { field: "related_company_id", to: "company", kind: "belongs" },
  ],
  rules: [atMostOneOf("related_person_id", "related_company_id"), jsonIn("outcome_reason")],
  example: {
    onboarding_flow_id: "flow-15",
    flow_name: "retail onboarding",
    outcome: "approved",
    outcome_reason: { identity: "verified", screening: "no match" },
    related_person_id: "person-81",
    timestamp: "2026-01-15T12:10:00Z",
  },
});
