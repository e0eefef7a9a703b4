// Creates an organization with defaults that `organization set` can change later.

import type { Organization } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import type { App } from "../app.ts";
import { makeId } from "../credential.ts";
import { OperatorError, requireLine } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";

// An id that begins with "-" would be an option in every command that names it.
const idForm = new RegExp(
  `^[A-Za-z0-9_][A-Za-z0-9_.-]{0,${limits.organizationIdCharactersMax - 1}}$`,
);

export interface NewOrganization {
  readonly name: string;
  /** Generated if omitted. */
  readonly organizationId?: string | undefined;
  readonly deletionApproval?: boolean | undefined;
}

/** Throws OperatorError not_permitted, invalid, organization_exists and organization_closed. */
export async function createOrganization(
  app: App,
  { name, organizationId = makeId("org"), deletionApproval = false }: NewOrganization,
): Promise<Organization> {
  requireRight(app, "organization.create");
  requireName("The organization's name", name);
  if (!idForm.test(organizationId)) {
    throw new OperatorError(
      "invalid",
      `The id "${organizationId}" must be 1 to ${limits.organizationIdCharactersMax} letters, digits, "_", "." or "-", ` +
        'and must not begin with "." or "-".',
    );
  }
  const now = app.now();
  const organization: Organization = {
    organizationId,
    name,
    strictScopes: false,
    deletionGraceSeconds: 0,
    rateLimitPerSecond: undefined,
    ...(deletionApproval ? { deletionApproval } : {}),
    createdAt: now,
  };
  const created = await app.store.createOrganization(organization, { actor: app.operator, now });
  if (created) return organization;
  const existing = await app.store.findOrganization(organizationId);
  if (existing?.closedAt !== undefined) {
    throw new OperatorError(
      "organization_closed",
      `An organization "${organizationId}" was closed at ${new Date(existing.closedAt).toISOString()}. Its id can't be used ` +
        "again; choose another one.",
    );
  }
  throw new OperatorError(
    "organization_exists",
    `An organization "${organizationId}" already exists; choose another id.`,
    { context: { organizationId } },
  );
}

/** Throws OperatorError invalid unless `name` is a line of text of an acceptable length. */
export function requireName(what: string, name: string): void {
  requireLine(what, name, limits.nameCharactersMax);
}
