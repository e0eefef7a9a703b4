// What the audit trail states about operators and proposals: who may do what, and what a second person has decided.
// Somebody who can write to the database could otherwise give a role or an approval without a trace.

import type { AuditEntry } from "../../domain/access.ts";
import type { Operator } from "../../domain/operator.ts";
import type { Proposal } from "../../domain/proposal.ts";
import type { App } from "../app.ts";
import { proposalPages } from "../pages.ts";
import type { Fact } from "./fact.ts";

export async function* storedAccess(app: App): AsyncGenerator<Fact> {
  for (const operator of await app.store.operators.list(app.now()))
    yield* factsOfOperator(operator);
  for await (const page of proposalPages(app)) yield* page.flatMap(factsOfProposal);
}

function* factsOfOperator(operator: Operator): Generator<Fact> {
  const { name, roles, disabledAt, unconfirmedSince, identity } = operator;
  const facts = aboutOperator(name, 0);
  yield facts.roles(roles);
  yield facts.identity(identity?.issuer, identity?.subject);
  yield facts.disabled(disabledAt !== undefined);
  yield facts.unconfirmed(unconfirmedSince !== undefined);
}

function factsOfProposal(proposal: Proposal): readonly Fact[] {
  const { proposalId, organizationId, act, parameters, status, decidedBy } = proposal;
  const facts = aboutProposal(proposalId, 0);
  const made = facts.made({ organizationId, act, parameters });
  return status === "open" ? [made] : [made, facts.decided({ status, by: decidedBy })];
}

export function accessFactsOf(entry: AuditEntry): readonly Fact[] {
  const { action, entryNo: no, subject, actor, detail, organizationId } = entry;
  const { act, parameters, unconfirmed, roles, issuer, subject: identity } = detail;
  const operator = aboutOperator(subject, no);
  const proposal = aboutProposal(subject, no);
  const isUnconfirmed = unconfirmed === true ? [operator.unconfirmed(true)] : [];
  switch (action) {
    case "operator.create":
      return [operator.roles(roles), operator.identity(issuer, identity), ...isUnconfirmed];
    case "operator.roles":
      return [operator.roles(roles), ...isUnconfirmed];
    case "operator.link":
      return isUnconfirmed;
    case "operator.confirm":
      return [operator.unconfirmed(false)];
    case "operator.disable":
      return [operator.disabled(true)];
    case "proposal.create":
      return [proposal.made({ organizationId, act, parameters })];
    case "proposal.approve":
      return [proposal.decided({ status: "approved", by: actor })];
    case "proposal.decline":
      return [proposal.decided({ status: "declined", by: actor })];
    case "proposal.expire":
      return [proposal.decided({ status: "expired", by: undefined })];
    default:
      return [];
  }
}

function aboutOperator(operator: string, no: number) {
  const fact = (what: string, stated: object | undefined): Fact => ({
    about: "operator",
    name: `${what} of operator ${operator}`,
    no,
    stated,
  });
  return {
    roles: (roles: unknown) => fact("The list of roles", { roles }),
    identity: (issuer: unknown, subject: unknown) =>
      fact("The identity", issuer === undefined ? undefined : { issuer, subject }),
    disabled: (is: boolean) => fact("The end", is ? {} : undefined),
    unconfirmed: (is: boolean) => fact("The missing confirmation", is ? {} : undefined),
  };
}

function aboutProposal(proposalId: string, no: number) {
  const fact = (what: string, stated: object): Fact => ({
    about: "proposal",
    name: `${what} ${proposalId}`,
    no,
    stated,
  });
  return {
    made: (stated: object) => fact("The proposal", stated),
    decided: (stated: object) => fact("The decision on proposal", stated),
  };
}
