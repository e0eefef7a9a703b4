// Enforces what the role of an operator allows (operator-right.ts). Every action that a person starts calls it first;
// no page and no command decides by itself.

import { confidentialTypes } from "../../domain/confidentiality.ts";
import { isRestrictedId } from "../../domain/deletion/restricted-set.ts";
import {
  allOperatorRights,
  type OperatorRight,
  operatorRights,
  rightsOf,
} from "../../domain/operator-right.ts";
import type { Operator } from "../../domain/operator.ts";
import type { App } from "../app.ts";
import { OperatorError } from "./operator-error.ts";

/** The application as this person may use it: every act is in the audit trail under the name, within the rights. */
export function actAs(app: App, { name, roles }: Operator): App {
  return { ...app, operator: name, rights: rightsOf(roles) };
}

export function hasRight({ rights }: Pick<App, "rights">, right: OperatorRight): boolean {
  return rights === undefined || rights.has(right);
}

/** Throws OperatorError not_permitted. */
export function requireRight(app: Pick<App, "rights" | "operator">, right: OperatorRight): void {
  if (hasRight(app, right)) return;
  const { summary, roles } = operatorRights[right];
  const able = roles.join(" or ");
  throw new OperatorError(
    "not_permitted",
    `${app.operator} may not ${summary}; the role ${able} may. Nothing was changed.`,
  );
}

/** Requires one of several rights. Throws OperatorError not_permitted, which names the first. */
export function requireAnyRight(
  app: Pick<App, "rights" | "operator">,
  rights: readonly OperatorRight[],
): void {
  const [first] = rights;
  if (first === undefined || rights.some((right) => hasRight(app, right))) return;
  requireRight(app, first);
}

/** Records of a type in an organization, about which something may be said. */
interface Subject {
  readonly organizationId: string;
  readonly resourceType: string;
}

/**
 * False for what must seem not to exist: anything about a record of a confidential type of its organization; of a
 * restricted set, which exists only because of such records; and of a closed organization, because its records are
 * erased, and its deletions completed, when none of these has to be kept any more.
 */
export type Knows = (subject: Subject) => boolean;

/** Given the id of an organization, reads no other; nothing may then be known about others. */
export async function readKnowledge(
  app: Pick<App, "rights" | "store">,
  only?: string,
): Promise<Knows> {
  if (hasRight(app, "confidential.read")) return () => true;
  const { store } = app;
  const found =
    only === undefined ? store.listOrganizations() : [await store.findOrganization(only)];
  const known = new Map((await found).map((one) => [one?.organizationId, one]));
  return ({ organizationId, resourceType }) => {
    const { closedAt, confidentialTypes: added } = known.get(organizationId) ?? {};
    return (
      !isRestrictedId(organizationId) &&
      (only === undefined || organizationId === only) &&
      closedAt === undefined &&
      !confidentialTypes(added).has(resourceType)
    );
  };
}

/**
 * The application for a command whose output is passed on unless confidential records are asked for: without them,
 * nobody gets more than somebody who may not learn of them (decision 0053). Throws OperatorError not_permitted.
 */
export function showing(
  app: App,
  { includeConfidential }: { readonly includeConfidential: boolean },
): App {
  if (includeConfidential) {
    requireRight(app, "confidential.read");
    return app;
  }
  const rights = new Set(app.rights ?? allOperatorRights);
  rights.delete("confidential.read");
  return { ...app, rights };
}

/** Types that are confidential in any organization, if this person may not know of their records. */
export async function readHiddenTypes(
  app: Pick<App, "rights" | "store">,
): Promise<ReadonlySet<string>> {
  if (hasRight(app, "confidential.read")) return new Set();
  const organizations = await app.store.listOrganizations();
  return confidentialTypes(organizations.flatMap(({ confidentialTypes: added = [] }) => added));
}

/** Throws OperatorError not_permitted, whether or not there is such a record. */
export async function requireKnowledge(app: App, subject: Subject): Promise<void> {
  if ((await readKnowledge(app, subject.organizationId))(subject)) return;
  requireRight(app, "confidential.read");
}
