// docs/reference/scopes.md: every scope, and the scopes that it includes, from domain/scope.ts.

import { nounOf } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { allScopes, coveredScopes, type Scope } from "../../src/domain/scope.ts";
import { code, generatedNote, page, table } from "./markdown.ts";

export function renderScopes(): string {
  return page(
    "# Scopes",
    generatedNote,
    "A token can do what its scopes allow. The concepts are in [scopes](../concepts/scopes.md). The last column applies to\n" +
      "organizations with `strict_scopes`.",
    table(
      ["scope", "allows", "also includes", "with strict scopes"],
      allScopes.map((scope) => [
        code(scope),
        meaningOf(scope),
        more(scope, false),
        more(scope, true),
      ]),
    ),
  );
}

const verbs = {
  read: "Check whether one exists",
  write: "Add and update",
  delete: "Request deletion, and read its status",
} as const;

const ofChanges: Readonly<Record<string, string>> = {
  "changes:read": "Read the feed of changes, of the types that other scopes allow to read",
  "changes:content": "Get the changes themselves with it",
};

function meaningOf(scope: Scope): string {
  const own = ofChanges[scope];
  if (own !== undefined) return own;
  const [family, permission] = scope.split(":");
  const titles = recordTypes
    .filter(
      (type) => type.family === family && (permission !== "delete" || type.deletable === true),
    )
    .map(nounOf);
  return `${verbs[permission as keyof typeof verbs]}: ${titles.join(", ")}`;
}

function more(scope: Scope, strict: boolean): string {
  const covered = [...coveredScopes([scope], strict)].filter((other) => other !== scope);
  return covered.length === 0 ? "nothing more" : covered.sort().map(code).join(", ");
}
