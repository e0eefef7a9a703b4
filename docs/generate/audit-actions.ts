// docs/reference/audit-actions.md: every action of the audit trail, from src/process/tables.ts.

import { allActions } from "../../src/process/tables.ts";
import { code, generatedNote, page, table } from "./markdown.ts";

export function renderAuditActions(): string {
  return page(
    "# Actions of the audit trail",
    generatedNote,
    "The `action` of an entry that [`sluice audit export`](../guides/siem.md) prints, and what its `actor` did.",
    table(
      ["action", "the actor"],
      Object.entries(allActions).map(([action, summary]) => [code(action), summary]),
    ),
  );
}
