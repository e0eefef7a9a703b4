// What a transaction may see: the organizations that it names, or one of a few views over all of them. On PostgreSQL,
// row-level security enforces it for every statement, even for one that does not name its organization. SQLite has no
// such enforcement, and ignores it.

/** all: lists of operators, upkeep, integrity. deletions: what is due. credentials: the owner of a token or a key. */
export type View = "all" | "deletions" | "credentials";

export interface Visibility {
  readonly organizations?: Iterable<string>;
  readonly view?: View;
  /** Whether statements with the view `all` find their rows by a key or in the order of one, as all others do. */
  readonly keyed?: boolean;
  /** A read-only snapshot of all tables. */
  readonly snapshot?: boolean;
  /** No time limit. */
  readonly unlimitedTime?: boolean;
}

export const allOrganizations: Visibility = { view: "all" };

/** Lists of operators, of which a page is shown, use this. */
export const listed: Visibility = { view: "all", keyed: true };

export const allDeletions: Visibility = { view: "deletions" };

/** Checks of the whole store use this. */
export const withoutTimeouts: Visibility = { view: "all", snapshot: true, unlimitedTime: true };

/** Changes of the schema, and other work without a time limit, use this. */
export const rebuilding: Visibility = { view: "all", unlimitedTime: true };

export function organization(organizationId: string): Visibility {
  return { organizations: [organizationId] };
}

/** These organizations, or the operator's view without a list. */
export function someOrAll(organizations: readonly string[] | undefined): Visibility {
  return organizations === undefined ? allOrganizations : { organizations };
}

/** One organization, or the operator's view where none is named. */
export function oneOrAll(organizationId: string | undefined): Visibility {
  return organizationId === undefined ? allOrganizations : organization(organizationId);
}
