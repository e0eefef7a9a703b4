// What the console shows in tests of its pages and in the screenshots of the guide: an organization with records,
// deletions in every state, holds, and operators. Stored over HTTP and by actions, as in use.

import assert from "node:assert/strict";
import type { BrowserContext } from "playwright-core";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { holdRecord } from "../../src/actions/retention/holds.ts";
import { createSignInLink } from "../../src/actions/operator/sign-in-link.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import type { OperatorRole } from "../../src/domain/operator.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import type { Service } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";
import { samples } from "../feature/samples.ts";
import { addOperator, signIn } from "./browse.ts";

/** Who works here, with their roles. */
export const staff: Readonly<Record<string, readonly OperatorRole[]>> = {
  anna: ["operator", "officer"],
  ben: ["officer"],
  vera: ["viewer"],
  axel: ["auditor"],
};

export interface Scene {
  readonly service: Service;
  readonly acme: Customer;
  /** Of a deletion that is completed, and of one that waits for a hold. */
  readonly completed: string;
  readonly held: string;
  readonly holdId: string;
  /** The paths of pages that features show. */
  readonly added: readonly string[];
  /** The origin of the console: passkeys need a name. */
  readonly base: string;
  readonly signInLink: (name: string) => Promise<string>;
  readonly signInTo: (context: BrowserContext, name: string) => Promise<void>;
  readonly addPerson: (id: string, more?: object) => Promise<void>;
  /** Returns the id of the deletion. */
  readonly requestDeletion: (personId: string) => Promise<string>;
}

const timestamp = "2026-01-31T09:30:00Z";

/** Longer than a column of a table. */
export const organizationName =
  "Süddeutsche Zahlungsverkehrs- und Abwicklungsgesellschaft für den Mittelstand mbH & Co. KG";

/** Ids and names of persons, as customers send them. */
export const known = {
  gone: { id: "0b8e6f0a-5f6e-4c1b-9d57-2f6f6f1f0a11", name: "Oluwaseun Adébáyọ̀" },
  held: { id: "c2a4d1b7-90ab-4a8e-8c6c-5d3f7e2b9a22", name: "Maria-Magdalena von Hohenstein" },
  first: { id: "9f1c7be2-3d54-4e0f-a7b1-88c40d6e5b33", name: "Владимир Ковальчук" },
} as const;

export async function makeScene(service: Service): Promise<Scene> {
  const { app, client, clock } = service;
  const base = service.address.replace("127.0.0.1", "localhost");
  const acme = await makeCustomer(app, client, { name: organizationName });
  const { organizationId } = acme;
  for (const [name, roles] of Object.entries(staff)) await addOperator(app, roles, name);
  const send = async (path: string, body: object): Promise<void> => {
    const { token } = acme;
    const { status, text } = await client.send({ method: "POST", path, token, body });
    assert.equal(status, 201, text);
  };
  const addPerson = (id: string, more?: object) =>
    addPersonOf(service, acme.token, { ...more, id });
  const requestDeletion = async (resourceId: string) => {
    clock.advanceMs(1);
    const key = { organizationId, resourceType: "person", resourceId };
    const reason = "asked by the customer";
    return (await requestDeletionOf(app, { ...key, reason })).deletionRequestId;
  };
  await addRecords(send, addPerson);
  await addNamingTo(service, acme.token, known.gone.id);
  const completed = await requestDeletion(known.gone.id);
  await waitFor("the deletion", async () => {
    const deletion = await app.store.findDeletion(completed, undefined);
    return deletion?.status === "completed";
  });
  await changeOrganization(app, organizationId, { deletionGraceSeconds: 86_400 });
  const target = { organizationId, resourceType: "person", resourceId: known.held.id };
  const { holdId } = await holdRecord(app, target, {
    reason: "Court order 12 O 345/26",
    owner: "Legal",
    reviewOn: "2026-12-31",
    endsOn: undefined,
  });
  const held = await requestDeletion(known.held.id);
  const added = await Promise.all(
    samples.flatMap(({ showPages }) => showPages?.(app, organizationId) ?? []),
  );
  return {
    service,
    acme,
    completed,
    held,
    holdId,
    added: added.flat(),
    base,
    addPerson,
    requestDeletion,
    signInLink: async (name) => {
      // Links and attempts to sign in are limited by time.
      clock.advanceMs(60_000);
      const { secret } = await createSignInLink(app, name);
      return `${base}/console/link?token=${secret}`;
    },
    signInTo: async (context, name) => {
      clock.advanceMs(60_000);
      const [cookie = "", value = ""] = (await signIn(app, client, name)).split("=");
      await context.addCookies([{ name: cookie, value, url: base, httpOnly: true }]);
    },
  };
}

/** To the organization of the token. */
export async function addPersonOf(
  { client }: Service,
  token: string,
  { id, ...more }: { readonly id: string; readonly [field: string]: unknown },
): Promise<void> {
  const body = {
    person_id: id,
    is_test_user: false,
    is_retail_customer: true,
    timestamp,
    ...more,
  };
  const { status, text } = await client.send({ method: "POST", path: "/v2/person", token, body });
  assert.equal(status, 201, text);
}

/** Adds a transaction of this sender to the organization of the token. */
export async function addNamingTo(
  { client }: Service,
  token: string,
  sender_id: string,
): Promise<void> {
  const body = {
    tx_id: `tx-of-${sender_id}`,
    type: "DEPOSIT",
    method: "SEPA",
    amount: 12.5,
    currency: "EUR",
    status: "SETTLED",
    sender_id,
    sender_country: "DE",
    timestamp,
  };
  const path = "/v2/transaction";
  const { status, text } = await client.send({ method: "POST", path, token, body });
  assert.equal(status, 201, text);
}

const companyId = "4d0f2c91-7a3e-4b58-b6d2-1e9c5a8f7044";

async function addRecords(
  send: (path: string, body: object) => Promise<void>,
  addPerson: (id: string, more?: object) => Promise<void>,
): Promise<void> {
  const is_test_company = false;
  await send("/v2/company", {
    company_id: companyId,
    is_test_company,
    legal_name: "Nordlicht Logistik GmbH",
    timestamp,
  });
  for (const { id, name } of Object.values(known)) {
    await addPerson(id, { name, related_company_id: companyId });
  }
  for (const tx_id of ["tx-1", "tx-2"]) {
    await send("/v2/transaction", {
      tx_id,
      type: "DEPOSIT",
      method: "SEPA",
      amount: 1_250.5,
      currency: "EUR",
      status: "PENDING",
      sender_id: known.first.id,
      sender_country: "DE",
      timestamp,
    });
  }
  const related = { related_tx_ids: ["tx-1"], timestamp };
  await send("/v2/transaction_check", {
    check_id: "check-1",
    status: "COMPLETED",
    type: "INLINE_MONITORING",
    ...related,
  });
  await send("/v2/transaction_alert", { alert_id: "alert-1", status: "CREATED", ...related });
  await send("/v2/risk_assessment", {
    assessment_id: "risk-1",
    type: "onboarding risk band",
    outcome: "LOW",
    related_person_id: known.first.id,
    timestamp,
  });
}
