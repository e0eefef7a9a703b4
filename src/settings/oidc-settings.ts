// The settings of sign-in with OpenID Connect, and which of them require each other.

import { isServiceUrl } from "../basics/url-hostname.ts";
import { type OperatorRole, operatorRoles } from "../domain/operator.ts";
import { Problem, readPairs, secret, setting, text } from "./setting.ts";

/** Pairs of a value and a role. One value may be listed with several roles. */
export type RoleMapping = readonly (readonly [value: string, role: OperatorRole])[];

export const oidcSettings = {
  oidcIssuer: setting(
    "OIDC_ISSUER",
    "",
    "Issuer of OpenID Connect with which people sign in to the console, such as `https://login.example.com`. Needs `OIDC_CLIENT_ID`, `OIDC_ROLES` and `CONSOLE_URL`.",
    issuer,
  ),
  oidcClientId: setting("OIDC_CLIENT_ID", "", "Id of this service at the issuer.", visibleText),
  oidcClientSecret: secret(
    "OIDC_CLIENT_SECRET",
    "",
    "Secret of this service at the issuer. Without it, the service is a public client, which PKCE protects.",
    visibleText,
  ),
  oidcScope: setting(
    "OIDC_SCOPE",
    "openid profile email",
    "Scopes that are requested; some issuers have one for roles or groups.",
    scope,
  ),
  oidcRolesClaim: setting(
    "OIDC_ROLES_CLAIM",
    "groups",
    "Claim with the groups or roles of a person, in the ID token or in the user info. For a part of a claim, a path such as `realm_access.roles`.",
    text("the name of a claim"),
  ),
  oidcRoles: setting(
    "OIDC_ROLES",
    "",
    "Which value of the claim is which role, such as `sluice-ops=operator,compliance=officer`; characters such as commas are percent-encoded.",
    roles,
  ),
};

type Environment = Readonly<Record<string, string | undefined>>;

export function findOidcProblems(environment: Environment): readonly string[] {
  if ((environment["OIDC_ISSUER"] ?? "") === "") return [];
  const missing = ["OIDC_CLIENT_ID", "OIDC_ROLES", "CONSOLE_URL"].filter(
    (name) => (environment[name] ?? "") === "",
  );
  return missing.map((name) => `${name} must be set, because OIDC_ISSUER is.`);
}

function issuer(value: string): string | undefined | Problem {
  if (value === "") return undefined;
  if (isServiceUrl(value)) return value;
  return new Problem(
    "an https URL without a query, such as https://login.example.com; http is accepted on this machine only",
  );
}

/** RFC 6749, appendix A.1 and A.2. A line break at the end of a file with a secret is the usual mistake. */
function visibleText(value: string): string | undefined | Problem {
  if (value === "") return undefined;
  if (/^[\x20-\x7e]{1,1024}$/.test(value) && value.trim() === value) return value;
  return new Problem(
    "1 to 1024 visible ASCII characters, without a space or line break around them",
  );
}

/** RFC 6749, section 3.3. */
function scope(value: string): string | Problem {
  const scopes = value.split(" ");
  const isValid = scopes.every((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one));
  if (isValid && scopes.includes("openid")) return value;
  return new Problem("scopes separated by spaces, with openid among them");
}

function roles(value: string): RoleMapping | Problem {
  const mapping = readPairs(value)?.flatMap(([claimed, name]) => {
    const role = operatorRoles.find((known) => known === name);
    return role === undefined ? [] : [[claimed, role] as const];
  });
  if (mapping !== undefined && mapping.length === readPairs(value)?.length) return mapping;
  return new Problem(
    `value=role pairs, separated by commas, with the roles ${operatorRoles.join(", ")}`,
  );
}
