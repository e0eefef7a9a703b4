// The person who asks: what the person's roles allow (operator-right.ts), and what the person may know of confidential
// records. A viewer is made once for a request of the console or a command, and reads an organization at most once.
// Every action that a person starts asks it; no page and no command decides by itself.

import type { Organization } from "../../domain/access.ts";
import { confidentialTypes, type Reader } from "../../domain/confidentiality.ts";
import { isRestrictedId } from "../../domain/deletion/restricted-set.ts";
import { mayDo, type OperatorRight, rightOf } from "../../domain/operator-right.ts";
import { effectiveRoles, type Operator, type OperatorRole } from "../../domain/operator.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { allScopes } from "../../domain/scope.ts";
import type { Store } from "../../store/interface/store.ts";
import { OperatorError } from "./operator-error.ts";

interface Subject {
  readonly organizationId: string;
  readonly resourceType: string;
}

/**
 * Whether this person may know of the subject. Everything else must seem not to exist: records of types that are
 * confidential in their organization; restricted sets, which exist only because of such records; and closed
 * organizations, whose deletions complete only when no such record has to be kept any more.
 */
export type Knows = (subject: Subject) => boolean;

export class Viewer {
  /** Undefined without limits: for the shell of the host, and for the service itself. */
  readonly roles: readonly OperatorRole[] | undefined;
  /** Whether this viewer may not know of confidential records, whatever the roles. */
  readonly #isPublic: boolean;
  readonly #app: Pick<Viewed, "store" | "operator">;
  readonly #found = new Map<string, Promise<Organization | undefined>>();
  #all: Promise<readonly Organization[]> | undefined;
  #public: Viewer | undefined;

  constructor(
    app: Pick<Viewed, "store" | "operator">,
    roles?: readonly OperatorRole[],
    { isPublic = false } = {},
  ) {
    this.#app = app;
    this.roles = roles;
    this.#isPublic = isPublic;
  }

  may(right: OperatorRight): boolean {
    if (right === "confidential.read" && this.#isPublic) return false;
    return this.roles === undefined || mayDo(this.roles, right);
  }

  /** `because` begins the message, where the right is needed for a reason that nobody would guess. */
  require(right: OperatorRight, because?: string): void {
    if (this.may(right)) return;
    const { summary, roles } = rightOf(right);
    const able = roles.join(" or ");
    throw new OperatorError(
      "not_permitted",
      `${because === undefined ? "" : `${because}. `}${this.#app.operator} may not ${summary}; the role ${able} may. Nothing was changed.`,
    );
  }

  /**
   * Returns what this person may know of. If an organization is given, only that one is read, and nothing may be known
   * about others. `evenClosed` is for a caller who knows that its records would be there without any report
   * (access/closed-organization.ts).
   */
  async knowledge(only?: string, { evenClosed = false } = {}): Promise<Knows> {
    if (this.may("confidential.read")) return () => true;
    const found = only === undefined ? await this.organizations() : [await this.#find(only)];
    const known = new Map(found.map((one) => [one?.organizationId, one]));
    return ({ organizationId, resourceType }) => {
      const { closedAt, confidentialTypes: added } = known.get(organizationId) ?? {};
      return (
        !isRestrictedId(organizationId) &&
        (only === undefined || organizationId === only) &&
        (closedAt === undefined || evenClosed) &&
        !confidentialTypes(added).has(resourceType)
      );
    };
  }

  async knownTypes(organizationId: string): Promise<readonly string[]> {
    const knows = await this.knowledge(organizationId);
    const types = recordTypes.map(({ resourceType }) => resourceType);
    return types.filter((resourceType) => knows({ organizationId, resourceType }));
  }

  async knows(subject: Subject): Promise<boolean> {
    return (await this.knowledge(subject.organizationId))(subject);
  }

  async reader(organizationId: string): Promise<Reader> {
    const confidential = confidentialTypes((await this.#find(organizationId))?.confidentialTypes);
    return { confidential, covered: new Set(this.may("confidential.read") ? allScopes : []) };
  }

  async readers(organizationIds: Iterable<string>): Promise<ReadonlyMap<string, Reader>> {
    const ids = [...new Set(organizationIds)];
    if (ids.length > 1) await this.organizations();
    return new Map(await Promise.all(ids.map(async (id) => [id, await this.reader(id)] as const)));
  }

  /** Returns the types that are confidential in any organization, if this person may not know of their records. */
  async hiddenTypes(): Promise<ReadonlySet<string>> {
    if (this.may("confidential.read")) return new Set();
    const organizations = await this.organizations();
    return confidentialTypes(organizations.flatMap(({ confidentialTypes: added = [] }) => added));
  }

  organizations(): Promise<readonly Organization[]> {
    return (this.#all ??= this.#app.store.listOrganizations());
  }

  public(): Viewer {
    return (this.#public ??= new Viewer(this.#app, this.roles, { isPublic: true }));
  }

  async #find(organizationId: string): Promise<Organization | undefined> {
    const listed = await this.#all;
    if (listed !== undefined) return listed.find((one) => one.organizationId === organizationId);
    const found =
      this.#found.get(organizationId) ?? this.#app.store.findOrganization(organizationId);
    this.#found.set(organizationId, found);
    return found;
  }
}

/** The part of the application that identifies who asks. */
export interface Viewed {
  readonly store: Pick<Store, "findOrganization" | "listOrganizations">;
  readonly operator: string;
  readonly viewer?: Viewer;
}

export function viewerOf(app: Viewed): Viewer {
  return app.viewer ?? new Viewer(app);
}

/** The application for this person: every act is in the audit trail under the name, within the rights. */
export function actAs<App extends Viewed>(
  app: App,
  person: Operator,
): App & { readonly viewer: Viewer } {
  const acting = { ...app, operator: person.name };
  return { ...acting, viewer: new Viewer(acting, effectiveRoles(person)) };
}

export function hasRight({ viewer }: Pick<Viewed, "viewer">, right: OperatorRight): boolean {
  return viewer === undefined || viewer.may(right);
}

/** Throws OperatorError not_permitted, as every action of a person does; other comments don't repeat it. */
export function requireRight(
  { viewer }: Pick<Viewed, "viewer">,
  right: OperatorRight,
  because?: string,
): void {
  viewer?.require(right, because);
}

/**
 * Requires one of several rights. The error names the first. Throws OperatorError not_permitted, which names the first.
 */
export function requireAnyRight(
  app: Pick<Viewed, "viewer">,
  rights: readonly OperatorRight[],
): void {
  const [first] = rights;
  if (first === undefined || rights.some((right) => hasRight(app, right))) return;
  requireRight(app, first);
}

/** Throws OperatorError not_permitted, whether or not there is such a record. */
export async function requireKnowledge(app: Viewed, subject: Subject): Promise<void> {
  if (await viewerOf(app).knows(subject)) return;
  requireRight(app, "confidential.read");
}

/** The application for a command, whose output is passed on: without confidential records unless asked for. */
export function showing<App extends Viewed>(
  app: App,
  { includeConfidential }: { readonly includeConfidential: boolean },
): App {
  if (!includeConfidential) return { ...app, viewer: viewerOf(app).public() };
  requireRight(app, "confidential.read");
  return app;
}
