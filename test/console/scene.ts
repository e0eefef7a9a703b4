// What the console shows in tests of its pages and in the screenshots of the guide: a service as it is after months of
// work, with an organization of 20,000 transactions. Stored by actions and over HTTP, as in use.

import assert from "node:assert/strict";
import type { BrowserContext } from "playwright-core";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { findActiveOperator } from "../../src/actions/operator/operators.ts";
import { createSignInLink } from "../../src/actions/operator/sign-in-link.ts";
import { actAs } from "../../src/actions/operator/viewer.ts";
import { setRule } from "../../src/actions/retention/retention-rules.ts";
import type { OperatorRole } from "../../src/domain/operator.ts";
import { samples } from "../feature/samples.ts";
import { type Customer, fetchToken, makeCustomer } from "../support/customer.ts";
import type { Service } from "../support/service.ts";
import { addOperator, signIn } from "./browse.ts";
import { addReport, erase, eraseInWeeks, leaveOpen, leaveProposals, type Open } from "./history.ts";
import { addPortfolio, type Party } from "./portfolio.ts";

/** Who works here, with their roles. */
export const staff: Readonly<Record<string, readonly OperatorRole[]>> = {
  anna: ["operator", "officer"],
  ben: ["officer"],
  vera: ["viewer"],
  axel: ["auditor"],
  "katarzyna.wisniewska-nowak@treasury.example.com": ["viewer", "auditor"],
};

export interface Scene extends Open, SigningIn {
  readonly service: Service;
  /** Has most records and deletions. Deletions wait for a day, and nothing needs a second person. */
  readonly acme: Customer;
  /** Here everything needs a second person, and deletions don't wait for anything else. */
  readonly strict: Customer;
  /** Of acme. The first is in most transactions; the second is erased, by the first of these deletions. */
  readonly people: readonly Party[];
  readonly completed: string;
  /** A deletion that had to keep a report. */
  readonly restricting: string;
  /** The paths of a proposal, and of pages that features show. */
  readonly proposal: string;
  readonly added: readonly string[];
  /** Somebody of whom nothing else in the scene is. */
  readonly takePerson: (from?: Customer) => Party;
}

/** Longer than a column of a table. */
export const organizationName =
  "Süddeutsche Zahlungsverkehrs- und Abwicklungsgesellschaft für den Mittelstand mbH & Co. KG";
const strictName = "Nordiska Betalningsförmedlingsaktiebolaget för Handel och Sjöfart AB (publ)";
const otherNames = [
  "Banco Cooperativo de Crédito Rural da Beira Interior, C.R.L.",
  "Πειραιώς Ναυτιλιακή Πίστη Α.Ε.",
  "Śląski Bank Spółdzielczy „Silesia” w Katowicach",
  "Pennine Instalment Credit plc",
];

const rules = [
  { resourceType: "company", keepDays: 3_652, countedFrom: "closed" },
  { resourceType: "person", deleteAfterDays: 3_652 },
  { resourceType: "risk_assessment", keepDays: 1_826 },
  { resourceType: "transaction", keepDays: 1_826, redactable: true, deleteAfterDays: 3_652 },
  { resourceType: "transaction_check", keepDays: 1_826, deleteAfterDays: "floor" },
] as const;

export async function makeScene(service: Service): Promise<Scene> {
  const { app, client } = service;
  for (const [name, roles] of Object.entries(staff)) await addOperator(app, roles, name);
  for (const name of otherNames) await createOrganization(app, { name });
  const [acme, people] = await addOrganization(service, organizationName, 20_000);
  const [strict, others] = await addOrganization(service, strictName, 1_000);
  const { organizationId } = acme;
  for (const rule of rules) await setRule(app, { organizationId, ...rule });
  const [, gone, reported, held, ...rest] = people.filter(({ isAssessed }) => !isAssessed);
  const left = new Map([
    [acme, rest],
    [strict, others.slice()],
  ]);
  const takePerson = (from = acme) => present(left.get(from)?.pop());
  const actor = async (name: string) => actAs(app, await findActiveOperator(app, name));
  const who = { service, anna: await actor("anna"), ben: await actor("ben") };
  const work = { ...who, customer: acme, takePerson };
  await eraseInWeeks(work);
  const added = await Promise.all(
    samples.flatMap(({ showPages }) => showPages?.(app, organizationId) ?? []),
  );
  await addReport(work, present(reported));
  const [completed, restricting] = await erase(work, [present(gone), present(reported)]);
  await changeOrganization(app, organizationId, { deletionApproval: false });
  await changeOrganization(app, organizationId, { deletionGraceSeconds: 86_400 });
  const open = await leaveOpen(
    work,
    present(held),
    people.filter(({ isAssessed }) => isAssessed).slice(0, 3),
  );
  const inStrict = { ...who, customer: strict, takePerson: () => takePerson(strict) };
  return {
    ...open,
    ...signingIn(service),
    service,
    acme: { ...acme, token: await fetchToken(client, acme) },
    strict,
    people,
    completed: present(completed),
    restricting: present(restricting),
    proposal: `/console/proposal/${await leaveProposals(inStrict)}`,
    added: added.flat(),
    takePerson,
  };
}

type SigningIn = ReturnType<typeof signingIn>;

/** Links and attempts to sign in are limited by time. */
function signingIn({ app, client, clock, address }: Service) {
  const base = address.replace("127.0.0.1", "localhost");
  return {
    base,
    signInLink: async (name: string) => {
      clock.advanceMs(60_000);
      const { secret } = await createSignInLink(app, name);
      return `${base}/console/link?token=${secret}`;
    },
    signInTo: async (context: BrowserContext, name: string) => {
      clock.advanceMs(60_000);
      const [cookie = "", value = ""] = (await signIn(app, client, name)).split("=");
      await context.addCookies([{ name: cookie, value, url: base, httpOnly: true }]);
    },
  };
}

async function addOrganization(service: Service, name: string, transactions: number) {
  const { app, client } = service;
  const customer = await makeCustomer(app, client, { name, deletionApproval: true });
  return [customer, await addPortfolio(app, customer.organizationId, transactions)] as const;
}

export function present<Value>(value: Value | undefined): Value {
  assert.ok(value !== undefined);
  return value;
}
