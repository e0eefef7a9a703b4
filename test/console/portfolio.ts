// The records of an organization as they are after some years: persons and companies with names of 20 countries, many
// of them longer than a column, ids as systems make them, and the transactions among them. The same each time.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeRecords } from "../../src/actions/intake/submission.ts";
import { type App, currentTimeOf } from "../../src/actions/app.ts";
import { dayMs } from "../../src/basics/duration.ts";
import { typeNamed } from "../conformance/scene.ts";
import { makeRandom, type Random } from "../support/random.ts";

export interface Party {
  readonly id: string;
  readonly name: string;
  readonly country: Country;
  /** How many transactions name it. */
  transactions: number;
  /** Whether a risk assessment is about this person. */
  readonly isAssessed: boolean;
}

interface Country {
  readonly code: string;
  readonly name: string;
  readonly city: string;
  readonly given: readonly string[];
  readonly family: readonly string[];
  readonly company: string;
}

const countries: readonly Country[] = readFileSync(new URL("names.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const [code = "", name = "", city = "", given = "", family = "", company = ""] =
      line.split("\t");
    return { code, name, city, given: given.split("|"), family: family.split("|"), company };
  });

const yearsMs = 3 * 365 * dayMs;
const currencies = ["EUR", "EUR", "EUR", "USD", "GBP", "PLN", "DKK"];
const methods = ["SEPA", "SEPA", "SWIFT", "WIRE", "CARD", "INTERNAL_TRANSFER"];
const statuses = ["SETTLED", "SETTLED", "SETTLED", "SETTLED", "PENDING", "FAILED", "REFUNDED"];
const accounts = ["APPROVED", "APPROVED", "APPROVED", "APPROVED", "PENDING", "BLOCKED"];
const listItems = 1_000;

type Item = Readonly<Record<string, unknown>>;

/** Returns the persons; the first are in most transactions. */
export async function addPortfolio(
  app: App,
  organizationId: string,
  transactions: number,
): Promise<readonly Party[]> {
  const random = makeRandom(transactions);
  const persons = Math.ceil(transactions / 20);
  const customers = Array.from({ length: persons }, (_, no) => partyOf(random, no, "given"));
  const companies = Array.from({ length: Math.ceil(persons / 10) }, (_, no) =>
    partyOf(random, no, "company"),
  );
  const parties = [...companies, ...customers];
  const sent = Array.from({ length: transactions }, () => transactionOf(random, parties));
  const checked = tenth(sent).map(({ tx_id }) => tx_id);
  const items: Readonly<Record<string, readonly Item[]>> = {
    company: companies.map((one) => companyOf(random, one)),
    person: customers.map((one, no) => personOf(random, one, companies[no])),
    transaction: sent,
    transaction_check: checked.map((id) => checkOf(random, id)),
    transaction_alert: tenth(checked).map((id) => alertOf(random, id)),
    risk_assessment: customers.flatMap((one) =>
      one.isAssessed ? [assessmentOf(random, one.id)] : [],
    ),
  };
  for (const [resourceType, all] of Object.entries(items)) {
    const timed = all.map((one) => ({ timestamp: timeOf(random, app.now()), ...one }));
    await addItems(app, { organizationId, resourceType, items: timed });
  }
  return customers;
}

/** All of one type, in lists. */
export async function addItems(
  app: App,
  {
    items,
    resourceType,
    organizationId,
  }: {
    readonly organizationId: string;
    readonly resourceType: string;
    readonly items: readonly Item[];
  },
): Promise<void> {
  const type = typeNamed(resourceType);
  const arrival = { receivedAt: currentTimeOf(app), timestampMin: app.timestampMin };
  const about = { organizationId, type, mode: "add", lenient: false, single: false } as const;
  for (let from = 0; from < items.length; from += listItems) {
    const part = items.slice(from, from + listItems);
    await writeRecords(app, { ...about, ...arrival }, { items: part });
  }
}

function tenth<One>(all: readonly One[]): readonly One[] {
  return all.filter((_, no) => no % 10 === 0);
}

/** A random UUID. */
function idOf(random: Random): string {
  const digits = (count: number) =>
    Array.from({ length: count }, () => random.integer(0, 15).toString(16)).join("");
  return [digits(8), digits(4), `4${digits(3)}`, `a${digits(3)}`, digits(12)].join("-");
}

function timeOf(random: Random, now: number): string {
  return new Date(now - dayMs - Math.floor(random.next() * yearsMs)).toISOString();
}

function partyOf(random: Random, no: number, kind: "given" | "company"): Party {
  const country = countries[no % countries.length];
  assert.ok(country !== undefined);
  const round = Math.floor(no / countries.length);
  const name =
    kind === "company"
      ? [country.company, ...(round === 0 ? [] : [`(${country.city} ${round})`])].join(" ")
      : `${country.given[round % 4]} ${country.family[Math.floor(round / 4) % 4]}`;
  return {
    id: idOf(random),
    name,
    country,
    transactions: 0,
    isAssessed: kind === "given" && no % 10 === 9,
  };
}

function companyOf(random: Random, { id, name, country }: Party): Item {
  const number = { type: "register", value: String(random.integer(10_000, 999_999)) };
  return {
    company_id: id,
    is_test_company: false,
    account_status: random.pick(accounts),
    legal_name: name,
    addresses: [{ type: "registered", address: { city: country.city, country: country.name } }],
    registration_number: number,
    incorporation_country: country.name,
  };
}

function personOf(random: Random, { id, name, country }: Party, company: Party | undefined): Item {
  const date = [random.integer(1_940, 2_004), random.integer(1, 12), random.integer(1, 28)];
  return {
    person_id: id,
    is_test_user: false,
    is_retail_customer: true,
    account_status: random.pick(accounts),
    name,
    date_of_birth: date.map((part) => String(part).padStart(2, "0")).join("-"),
    nationality: country.code,
    email: `${id.slice(0, 8)}@example.com`,
    address: { lines: ["17 Example Street"], city: country.city, country: country.name },
    ...(company === undefined ? {} : { is_director: true, related_company_id: company.id }),
  };
}

function transactionOf(random: Random, parties: readonly Party[]) {
  // Squared, so that the first ones have most.
  const [sender, receiver] = [random.next(), random.next()].map((share) => {
    const party = parties[Math.floor(share * share * parties.length)];
    assert.ok(party !== undefined);
    return party;
  });
  assert.ok(sender !== undefined && receiver !== undefined);
  for (const party of new Set([sender, receiver])) party.transactions += 1;
  return {
    tx_id: idOf(random),
    type: random.pick(["DEPOSIT", "WITHDRAWAL"]),
    method: random.pick(methods),
    amount: random.integer(100, 900_000) / 100,
    currency: random.pick(currencies),
    status: random.pick(statuses),
    sender_id: sender.id,
    sender_country: sender.country.code,
    receiver_id: receiver.id,
    receiver_country: receiver.country.code,
  };
}

function checkOf(random: Random, txId: string): Item {
  const kind = { status: "COMPLETED", type: "INLINE_MONITORING" };
  return { check_id: idOf(random), ...kind, related_tx_ids: [txId] };
}

function alertOf(random: Random, txId: string): Item {
  return { alert_id: idOf(random), status: "CREATED", related_tx_ids: [txId] };
}

function assessmentOf(random: Random, personId: string): Item {
  return {
    assessment_id: idOf(random),
    type: "onboarding risk band",
    outcome: random.pick(["LOW", "LOW", "MEDIUM", "HIGH"]),
    related_person_id: personId,
  };
}
