// Scopes, and what each of them covers.

export const families = [
  "transactions",
  "risk_assessment",
  "screening",
  "person",
  "company",
  "identity_verification",
  "onboarding_flow",
  "customer_sar",
] as const;
export type Family = (typeof families)[number];

/** Families whose records can be deleted by request (contract, section 2). */
export const deletableFamilies = ["transactions", "person", "company"] as const satisfies Family[];

export type Permission = "read" | "write" | "delete";
export type Scope =
  | `${Family}:read`
  | `${Family}:write`
  | `${(typeof deletableFamilies)[number]}:delete`
  | (typeof changeScopes)[number];

/** For the feed of changes. No other scope includes them, and a key has them only if they are named. */
export const changeScopes = ["changes:read", "changes:content"] as const;

/** The scopes of a key for which none are named: all that concern records. */
export const recordScopes: readonly Scope[] = [
  ...families.flatMap((family): Scope[] => [`${family}:read`, `${family}:write`]),
  ...deletableFamilies.map((family): Scope => `${family}:delete`),
];

export const allScopes: readonly Scope[] = [...recordScopes, ...changeScopes];

/** How a list of scopes is shown: one that is long has a name. */
export function describeScopes(scopes: readonly Scope[], separator: string): string {
  if (scopes.length === allScopes.length) return "all";
  const isUsual =
    scopes.length === recordScopes.length && recordScopes.every((scope) => scopes.includes(scope));
  return isUsual ? "all of records" : scopes.join(separator);
}

const known: ReadonlySet<string> = new Set(allScopes);

export function isScope(text: string): text is Scope {
  return known.has(text);
}

/** What `transactions:write` covers, unless the organization has `strict_scopes`. */
const umbrella: readonly Scope[] = [
  "transactions:read",
  "transactions:write",
  "transactions:delete",
  "risk_assessment:read",
  "risk_assessment:write",
];

/** `write` includes `read`, and `transactions:write` more, unless the organization is strict (contract, section 4). */
export function coveredScopes(scopes: readonly Scope[], strict: boolean): ReadonlySet<Scope> {
  const covered = new Set<Scope>(scopes);
  if (!strict && covered.has("transactions:write")) for (const more of umbrella) covered.add(more);
  for (const family of families) {
    if (covered.has(`${family}:write`)) covered.add(`${family}:read`);
  }
  return covered;
}
