// What a transaction may see: the organizations that it names, or one of the few views over all of them. Row-level
// security (migration/row-security.ts) holds every statement to it, also one that forgot to name its organization.

/**
 * all: operators' lists, upkeep and integrity. deletions: the worker's search for what is due. credentials: whose a token
 * or a key is, before an organization is known.
 */
export type View = "all" | "deletions" | "credentials";

export interface Scope {
  readonly organizations?: Iterable<string>;
  readonly view?: View;
  /** Sees one moment of all tables, may not write, and may take as long as it needs. */
  readonly snapshot?: boolean;
  /** May take as long as it needs. */
  readonly unlimitedTime?: boolean;
}

export const allOrganizations: Scope = { view: "all" };

/** To look at everything. */
export const withoutTimeouts: Scope = { view: "all", snapshot: true, unlimitedTime: true };

/** To change the schema. */
export const rebuilding: Scope = { view: "all", unlimitedTime: true };

export function organization(organizationId: string): Scope {
  return { organizations: [organizationId] };
}

/** One organization, or the operator's view where none is named. */
export function oneOrAll(organizationId: string | undefined): Scope {
  return organizationId === undefined ? allOrganizations : organization(organizationId);
}

/** The value of the setting `sluice.organizations`. An id holds no comma (actions/create-organization.ts). */
export function listOrganizations({ organizations = [] }: Scope): string {
  const ids = [...new Set(organizations)];
  return ids.filter((id) => !id.includes(",")).join(",");
}
