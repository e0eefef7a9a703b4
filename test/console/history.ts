// What people have done in the organizations of the scene: months of erasures, and what is still open.

import assert from "node:assert/strict";
import type { App } from "../../src/actions/app.ts";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { approveDeletion, cancelDeletion } from "../../src/actions/deletion/decide-deletions.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { OperatorError } from "../../src/actions/operator/operator-error.ts";
import { approveProposal, declineProposal } from "../../src/actions/proposal/proposals.ts";
import { holdRecord, releaseHold } from "../../src/actions/retention/holds.ts";
import { setRule } from "../../src/actions/retention/retention-rules.ts";
import { dayMs } from "../../src/basics/duration.ts";
import { deletionBasisNames } from "../../src/domain/deletion/basis.ts";
import { type Customer, fetchToken } from "../support/customer.ts";
import type { Service } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";
import { addItems, type Party } from "./portfolio.ts";

/** Who acts, and on whose records. */
export interface Work {
  readonly service: Service;
  readonly customer: Customer;
  readonly anna: App;
  readonly ben: App;
  readonly takePerson: () => Party;
}

const weeks = 12;
const ofWeek = 3;

const keyOf = ({ organizationId }: Customer, { id: resourceId }: Party) => ({
  organizationId,
  resourceType: "person",
  resourceId,
});

export async function eraseInWeeks(work: Work): Promise<void> {
  for (let week = 0; week < weeks; week += 1) {
    const people = Array.from({ length: ofWeek }, () => work.takePerson());
    await erase(work, people);
    work.service.clock.advanceMs(7 * dayMs);
  }
}

/** Deletions that the organization or anna requests, and ben approves. Returns their ids. */
export async function erase(work: Work, people: readonly Party[]): Promise<readonly string[]> {
  const { service, customer, anna, ben } = work;
  const token = await fetchToken(service.client, customer, { scopes: ["person:delete"] });
  const ids: string[] = [];
  for (const [no, person] of people.entries()) {
    const basis = deletionBasisNames[no % deletionBasisNames.length];
    const reason = `request ${no + 1}/26 of the customer`;
    if (no % 3 > 0) {
      const body = { person_id: person.id, reason, basis };
      const ask = { method: "DELETE", path: "/v2/person", token, body };
      const reply = await service.client.send(ask);
      assert.equal(reply.status, 200, reply.text);
      ids.push(String(reply.body["deletion_request_id"]));
    } else {
      const wanted = { ...keyOf(customer, person), reason, basis };
      ids.push((await requestDeletionOf(anna, wanted)).deletionRequestId);
    }
    service.clock.advanceMs(3_600_000);
  }
  for (const id of ids) await approveDeletion(ben, id);
  for (const id of ids) await awaitErased(service, id);
  return ids;
}

export async function awaitErased({ app }: Service, id: string): Promise<void> {
  await waitFor("the deletion", async () => {
    const deletion = await app.store.findDeletion(id, undefined);
    return deletion?.status === "completed";
  });
}

/** A report about a person that has to be kept. */
export async function addReport(
  { service: { app }, customer }: Work,
  person: Party,
): Promise<void> {
  const { organizationId } = customer;
  const type = { organizationId, resourceType: "customer_sar" };
  const sar_id = `SAR-2026-${person.id.slice(0, 8)}`;
  const timestamp = new Date(app.now() - dayMs).toISOString();
  const items = [{ sar_id, status: "FILED", related_person_id: person.id, timestamp }];
  await addItems(app, { ...type, items });
  await holdRecord(app, { ...type, resourceId: sar_id }, { reason: "Court order 3 O 9/26" });
}

export interface Open {
  /** Deletions that wait for a hold, and of a person whose record a floor keeps. */
  readonly held: string;
  readonly holdId: string;
}

/** Leaves deletions that wait, each for something else, and holds. `kept`: people whose records a floor keeps. */
export async function leaveOpen(
  { service: { app }, customer, anna, ben, takePerson }: Work,
  heldPerson: Party,
  kept: readonly Party[],
): Promise<Open> {
  const day = (days: number) => new Date(app.now() + days * dayMs).toISOString().slice(0, 10);
  const hold = { owner: "Legal department", reviewOn: day(200), endsOn: undefined };
  const reason = "Court order 12 O 345/26 of the regional court";
  const { holdId } = await holdRecord(ben, keyOf(customer, heldPerson), { ...hold, reason });
  for (const [no, days] of [-30, 15, 40, 90].entries()) {
    await holdRecord(ben, keyOf(customer, takePerson()), {
      ...hold,
      reason: `Inquiry ${no + 31}/26 of the public prosecutor`,
      reviewOn: day(days),
      endsOn: no === 1 ? day(days) : undefined,
    });
  }
  const request = async (by: App, person: Party) =>
    (await requestDeletionOf(by, { ...keyOf(customer, person), reason: "asked by the customer" }))
      .deletionRequestId;
  for (const person of kept) await request(anna, person);
  for (let no = 0; no < 3; no += 1) await cancelDeletion(anna, await request(ben, takePerson()));
  for (let no = 0; no < 8; no += 1) await request(no % 2 === 0 ? anna : ben, takePerson());
  return { holdId, held: await request(ben, heldPerson) };
}

/** Leaves what ben asks anna to approve, after some of it was decided. Returns the id of a proposal. */
export async function leaveProposals({ service, customer, anna, ben, takePerson }: Work) {
  const { organizationId } = customer;
  const floor = { organizationId, resourceType: "company" };
  await setRule(service.app, { ...floor, keepDays: 3_650 });
  await approveProposal(anna, await propose(setRule(ben, { ...floor, keepDays: 2_555 })));
  await declineProposal(anna, await propose(setRule(ben, { ...floor, keepDays: 30 })));
  await propose(setRule(ben, { ...floor, keepDays: 365 }));
  await propose(changeOrganization(ben, organizationId, { deletionApproval: false }));
  for (let no = 0; no < 2; no += 1) {
    const reason = "asked by the customer";
    await requestDeletionOf(ben, { ...keyOf(customer, takePerson()), reason });
  }
  const reason = "Court order 7 C 12/26 of the district court";
  const { holdId } = await holdRecord(ben, keyOf(customer, takePerson()), { reason });
  return propose(releaseHold(ben, { holdId }));
}

async function propose(act: Promise<unknown>): Promise<string> {
  const error: unknown = await act.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof OperatorError, String(error));
  return String(error.context.proposalId);
}
