// Maps the claims of an issuer to roles and a name.

import type { OperatorRole } from "../../../domain/operator.ts";

export type Claims = Readonly<Record<string, unknown>>;

export interface RolesOptions {
  readonly claim: string;
  readonly mapping: readonly (readonly [value: string, role: OperatorRole])[];
}

/** A person in more groups than this has no role: reading only some groups could give a wrong one. */
const valuesMax = 5_000;

/** Undefined if there is no such claim, or it is null; then the UserInfo endpoint may have it. */
export function readRoles(
  claims: Claims,
  { claim, mapping }: RolesOptions,
): readonly OperatorRole[] | undefined {
  const value = findClaim(claims, claim);
  if (value === undefined || value === null) return undefined;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length > valuesMax) return [];
  const held = new Set(values);
  const roles = mapping.filter(([claimed]) => held.has(claimed)).map(([, role]) => role);
  return [...new Set(roles)];
}

/** Names of claims may contain dots, too, so the whole name is tried first. */
function findClaim(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  let value: unknown = claims;
  for (const name of claim.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Claims)[name];
  }
  return value;
}

/** Possible names, the best first. They don't identify the person, who can change them. */
export function readNames(claims: Claims): readonly string[] {
  const names = [claims["preferred_username"], claims["email"], claims["name"]];
  return names.filter((name) => typeof name === "string");
}
