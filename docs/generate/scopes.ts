// docs/reference/scopes.md: every scope, and what each covers, from domain/scope.ts.

import { nounOf } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { allScopes, coveredScopes, type Scope } from "../../src/domain/scope.ts";
import { code, generatedNote, page, table } from "./markdown.ts";

export function renderScopes(): string {
  return page(
    "# Scopes",
    generatedNote,
    "A token may do what its scopes cover. Why they are as they are: [scopes](../concepts/scopes.md). With `strict_scopes` on\n" +
      "an organization, a scope covers what the last column says.",
    table(
      ["scope", "for", "also covers", "with strict scopes"],
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
  delete: "Request deletion, and ask how it stands",
} as const;

function meaningOf(scope: Scope): string {
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
