// docs/reference/operator-rights.md: what each role of operators may do, from src/process/tables.ts.

import { operatorRoles } from "../../src/domain/operator.ts";
import { allRights } from "../../src/process/tables.ts";
import { code, generatedNote, page, table } from "./markdown.ts";

export function renderOperatorRights(): string {
  return page(
    "# Rights of operators",
    generatedNote,
    "What each role may do in the [console](../guides/console.md), and on the command line with `--as NAME`. A person with\n" +
      "several roles may do what any of them may. Without `--as`, the command line is not limited: whoever has a shell on the\n" +
      "server can read and write its files. Programs have [scopes](scopes.md) instead.",
    "Nobody gives a program more of the feed than they may read: to create or rotate a key, or to create a rule for\n" +
      "programs, with `changes:read` and a scope that reads a [confidential type](../concepts/glossary.md), such as\n" +
      "`customer_sar:read` or `transactions:write`, also takes `confidential.read`, and with `changes:content` also\n" +
      "`record.show`.",
    table(
      ["right", "allows to", ...operatorRoles],
      Object.entries(allRights).map(([right, { summary, roles }]) => {
        const has = (role: string) => roles.some((one) => one === role);
        return [code(right), summary, ...operatorRoles.map((role) => (has(role) ? "yes" : "–"))];
      }),
    ),
  );
}
