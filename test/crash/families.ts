// What a connection does to create related records, so that deleting one erases or changes others.

import type { RecordType } from "../../src/domain/record-type.ts";
import type { Fields } from "../support/record-generator.ts";
import { listPath } from "./acts-add.ts";
import type { SentRecord } from "./ledger.ts";
import { newRecord, type Sender, submit } from "./sender.ts";
import { typeNamed } from "../conformance/scene.ts";

export async function makeTransactionFamily(sender: Sender): Promise<void> {
  const [first, second] = await addTogether(sender, "transaction", [{}, {}]);
  if (first === undefined || second === undefined) return;
  const one = { related_tx_ids: [first.id] };
  const both = { related_tx_ids: [first.id, second.id] };
  const checks = await addTogether(sender, "transaction_check", [one, both]);
  const [check] = checks;
  if (check === undefined) return;
  const alerts = await addTogether(sender, "transaction_alert", [
    { related_check_id: check.id, ...both },
    { related_check_id: check.id },
  ]);
  const [, alert] = alerts;
  if (alert === undefined) return;
  const suspicions = await addTogether(sender, "transaction_suspicious_activity", [
    { related_alert_id: alert.id, ...one },
  ]);
  const screenings = await addTogether(sender, "screening", [{ related_tx_id: first.id }]);
  if (screenings.length === 0) return;
  sender.families.push([first, second, ...checks, ...alerts, ...suspicions, ...screenings]);
}

export async function makeCustomerFamily(sender: Sender): Promise<void> {
  const [company] = await addTogether(sender, "company", [{}]);
  if (company === undefined) return;
  const [person] = await addTogether(sender, "person", [{ related_company_id: company.id }]);
  if (person === undefined) return;
  const ofPerson = { related_person_id: person.id };
  const ofCompany = { related_company_id: company.id };
  const dependents = [
    ...(await addTogether(sender, "risk_assessment", [ofPerson, ofCompany])),
    ...(await addTogether(sender, "customer_sar", [{ ...ofPerson, ...ofCompany }, ofPerson])),
    ...(await addTogether(sender, "identity_verification", [ofCompany])),
    ...(await addTogether(sender, "onboarding_flow", [ofPerson])),
  ];
  if (sender.cutOff) return;
  const members = [person, company];
  if (sender.generator.random.chance(0.5)) members.reverse();
  sender.families.push([...members, ...dependents]);
}

/** Enough for an erasure to take several steps. */
export async function makeLargeFamily(sender: Sender): Promise<void> {
  const [person] = await addTogether(sender, "person", [{}]);
  if (person === undefined) return;
  const count = sender.generator.random.integer(520, 1_200);
  const related = Array.from({ length: count }, () => ({ related_person_id: person.id }));
  const dependents = await addTogether(sender, "risk_assessment", related);
  if (dependents.length > 0) sender.families.push([person, ...dependents]);
}

async function addTogether(
  sender: Sender,
  name: string,
  related: readonly Fields[],
): Promise<readonly SentRecord[]> {
  if (sender.cutOff) return [];
  const type = typeNamed(name);
  const made = related.map((fields) => newRecord(sender, type, only(type, fields)));
  const added = await submit(sender, {
    method: "POST",
    path: listPath(type),
    body: made.map(({ payload }) => payload),
    changes: made.map(({ record, payload }) => sender.ledger.change(record, payload)),
    atomic: true,
  });
  return added ? made.map(({ record }) => record) : [];
}

/** Removes every other reference of the record. */
export function only(type: RecordType, fields: Fields): Fields {
  return {
    ...Object.fromEntries(type.relations.map(({ field }) => [field, undefined])),
    ...fields,
  };
}
