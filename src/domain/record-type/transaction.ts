// A transaction: money that moves in, out or internally. Unlike other types, lists of transactions are sent to a path
// of their own.

import {
  amount,
  country,
  currency,
  flagOrFalse,
  identifier,
  nullable,
  oneOf,
  optional,
  required,
} from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";
import { atLeastOneOf, needs } from "../schema/rules.ts";

const types = ["DEPOSIT", "WITHDRAWAL"];
const statuses = ["CREATED", "PENDING", "SETTLED", "FAILED", "REJECTED", "REFUNDED"];
const methods = [
  "WIRE",
  "ACH",
  "SWIFT",
  "SEPA",
  "APPLE_PAY",
  "GOOGLE_PAY",
  "CHECK_DEPOSIT",
  "INTERNAL_TRANSFER",
  "RTP",
  "FEDNOW",
  "PROV_X_TRANSFER",
  "CARD",
];

export const transaction = defineRecordType({
  resourceType: "transaction",
  idField: "tx_id",
  family: "transactions",
  title: "Transaction",
  summary: "Money that moves in, out or internally.",
  batchPath: "transactions/batch",
  deletable: true,
  fields: {
    tx_id: required(identifier("Unique identifier of the transaction.")),
    type: required(oneOf("Which way the money moves.", types)),
    method: required(oneOf("How the money moves.", methods)),
    amount: required(
      nullable(amount("Amount in `currency`; may be negative or zero, and null if it is unknown.")),
    ),
    currency: required(currency("Currency of `amount`, which was valid at `timestamp`.")),
    status: required(oneOf("State of the transaction.", statuses)),
    is_test: optional(flagOrFalse("Made for a test, not real.")),
    amount_usd: optional(amount("Amount in US dollars.")),
    sender_id: optional(identifier("Who sends the money.")),
    sender_country: optional(country("Country that the money comes from.")),
    receiver_id: optional(identifier("Who receives the money.")),
    receiver_country: optional(country("Country that the money goes to.")),
  },
  currencyFields: ["currency"],
  partyFields: ["sender_id", "receiver_id"],
  rules: [
    atLeastOneOf("sender_id", "receiver_id"),
    needs("sender_id", "sender_country"),
    needs("receiver_id", "receiver_country"),
  ],
  example: {
    tx_id: "tx-2026-000417",
    type: "DEPOSIT",
    method: "SEPA",
    amount: 1250.5,
    currency: "EUR",
    status: "SETTLED",
    amount_usd: 1362.8,
    sender_id: "person-81",
    sender_country: "DE",
    timestamp: "2026-01-31T09:30:00.125Z",
  },
});
