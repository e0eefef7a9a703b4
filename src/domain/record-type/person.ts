// A person: a customer, or somebody with a role in a company. A person only mentions its company, and is not erased
// with it.

import {
  address,
  date,
  dateTime,
  flag,
  identifier,
  nationality,
  object,
  oneOf,
  optional,
  required,
  share,
  text,
} from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";
import { requiredWhen } from "../schema/rules.ts";

/** Persons and companies have the same statuses. */
export const accountStatuses = ["APPROVED", "BLOCKED", "CLOSED", "PENDING", "REJECTED"];

const identificationNumber = object("A number that a state gave to the person.", {
  type: required(text("Which number it is, such as a passport or a tax number.")),
  value: required(text("The number.")),
});

export const person = defineRecordType({
  resourceType: "person",
  idField: "person_id",
  family: "person",
  title: "Person",
  summary: "A customer, or somebody with a role in a company.",
  deletable: true,
  party: true,
  closed: [{ field: "account_status", is: "CLOSED" }],
  fields: {
    person_id: required(identifier("Unique identifier of the person.")),
    is_test_user: required(flag("Made for a test, not real.")),
    is_retail_customer: required(flag("A customer in their own right, not for a company.")),
    is_beneficial_owner: optional(flag("Owns the company in the end.")),
    is_director: optional(flag("Directs the company.")),
    is_account_owner: optional(flag("Owns the account.")),
    is_shareholder: optional(flag("Holds shares in the company.")),
    related_company_id: optional(identifier("Company to which the person is related.")),
    is_sole_prop: optional(flag("Trades as a sole proprietor.")),
    is_significant_control_person: optional(flag("Controls the company to a significant degree.")),
    ownership_percentage: optional(share("Share of the company that the person owns.")),
    account_status: optional(oneOf("State of the account.", accountStatuses)),
    name: optional(text("Full name.")),
    first_name: optional(text("First name.")),
    last_name: optional(text("Last name.")),
    email: optional(text("Email address.")),
    address: optional(address),
    phone_number: optional(text("Phone number.")),
    date_of_birth: optional(date("Date of birth.")),
    nationality: optional(nationality("Nationality.")),
    occupation: optional(text("Occupation.")),
    first_transaction_completed_at: optional(dateTime("When the first transaction was completed.")),
    national_identification_number: optional(identificationNumber),
    product_type: optional(text("Product that the person uses.")),
  },
  relations: [{ field: "related_company_id", to: "company", kind: "mentions" }],
  rules: [
    requiredWhen({ field: "is_retail_customer", is: false }, [
      "is_beneficial_owner",
      "is_director",
      "is_account_owner",
      "is_shareholder",
    ]),
  ],
  pastDates: ["date_of_birth"],
  example: {
    person_id: "person-81",
    is_test_user: false,
    is_retail_customer: true,
    account_status: "APPROVED",
    first_name: "Ada",
    last_name: "Example",
    address: {
      lines: ["1 Example Street"],
      city: "Berlin",
      postal_code: "10115",
      country: "Germany",
    },
    date_of_birth: "1990-12-10",
    nationality: "DE",
    national_identification_number: { type: "passport", value: "C01X00T47" },
    timestamp: "2026-01-15T11:58:00Z",
  },
});
