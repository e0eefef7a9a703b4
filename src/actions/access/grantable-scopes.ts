// What a person may let a program read of the feed, with an API key or a rule for an identity: no more than this person
// may read. Otherwise a key that somebody creates, or a successor whose secret is shown, would be a way around the
// roles. Without the feed, a program learns only of records whose ids it knows.

import { mayRead } from "../../domain/confidentiality.ts";
import type { OperatorRight } from "../../domain/operator-right.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { coveredScopes, type Scope } from "../../domain/scope.ts";
import type { App } from "../app.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";

/**
 * Scopes count without `strict_scopes`, which can be turned off later. Throws OperatorError not_permitted, which says
 * what the scopes allow to read.
 */
export async function requireGrantable(
  app: App,
  organizationId: string,
  scopes: readonly Scope[],
): Promise<void> {
  const covered = coveredScopes(scopes, false);
  if (!covered.has("changes:read")) return;
  const { confidential } = await viewerOf(app).reader(organizationId);
  const shown = recordTypes.filter(
    (type) => confidential.has(type.resourceType) && mayRead({ covered }, type),
  );
  const needed: [OperatorRight, string][] = shown.map(({ resourceType, family }) => [
    "confidential.read",
    `With changes:read and ${family}:read, programs learn of records of the type ${resourceType}`,
  ]);
  if (covered.has("changes:content")) {
    needed.push(["record.show", "With changes:content, programs read the content of records"]);
  }
  for (const [right, why] of needed) requireRight(app, right, why);
}
