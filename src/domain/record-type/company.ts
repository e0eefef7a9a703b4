// A company: a customer that is not a person, or one for which persons act.

import {
  address,
  date,
  dateTime,
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
import { accountStatuses } from "./person.ts";

const addresses = listOf(
  "Where the company is found.",
  object("An address of the company.", {
    type: optional(text("What the address is for, such as registered or trading.")),
    address: optional(address),
  }),
);

const registrationNumber = object("Number under which the company is registered.", {
  type: required(text("Which register or number it is.")),
  value: required(text("The number.")),
});

const industryClassification = object("What the company does, by a published classification.", {
  code_type: required(text("Which classification, such as NACE or SIC.")),
  code: required(listOf("Codes in it.", text("A code."))),
  description: optional(text("What the codes mean.")),
});

export const company = defineRecordType({
  resourceType: "company",
  idField: "company_id",
  family: "company",
  title: "Company",
  summary: "A customer that is not a person, or a company for which persons act.",
  deletable: true,
  party: true,
  closed: [
    { field: "account_status", is: "CLOSED" },
    // A register does not end a relationship while the account is open.
    { field: "registered_as_inactive", is: true, unless: "account_status" },
  ],
  fields: {
    company_id: required(identifier("Unique identifier of the company.")),
    is_test_company: required(flag("Made for a test, not real.")),
    account_status: optional(oneOf("State of the account.", accountStatuses)),
    legal_name: optional(text("Name in the register.")),
    trading_name: optional(text("Name under which it trades.")),
    email: optional(text("Email address.")),
    addresses: optional(addresses),
    phone_number: optional(text("Phone number.")),
    type: optional(text("Legal form.")),
    registration_number: optional(registrationNumber),
    incorporation_date: optional(date("When it was incorporated.")),
    incorporation_country: optional(text("Country of incorporation.")),
    incorporation_state: optional(text("State or province of incorporation.")),
    primary_operation_country: optional(text("Country where it mostly operates.")),
    industry: optional(text("Industry, in words.")),
    industry_classification: optional(industryClassification),
    source_of_wealth: optional(text("Where its wealth comes from.")),
    source_of_funds: optional(text("Where its funds come from.")),
    first_transaction_completed_at: optional(dateTime("When the first transaction was completed.")),
    product_type: optional(text("Product that the company uses.")),
    registered_as_inactive: optional(flag("The register shows it as inactive.")),
  },
  pastDates: ["incorporation_date"],
  example: {
    company_id: "company-4",
    is_test_company: false,
    account_status: "APPROVED",
    legal_name: "Example Trading GmbH",
    addresses: [{ type: "registered", address: { lines: ["2 Example Square"], city: "Hamburg" } }],
    registration_number: { type: "HRB", value: "123456" },
    incorporation_date: "2012-05-01",
    incorporation_country: "Germany",
    industry_classification: { code_type: "NACE", code: ["46.90"] },
    timestamp: "2026-01-14T10:00:00Z",
  },
});
