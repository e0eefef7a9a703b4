// `sluice key list`

import { keyStatus, listKeys } from "../../actions/access/find-key.ts";
import type { ApiKey } from "../../domain/access.ts";
import { defineStoreCommand, optional } from "../command.ts";
import { formatKeyStatus, formatScopes, viewKey } from "../output/key-view.ts";
import { text } from "../input/kinds.ts";
import { type Column, formatTime, renderTable } from "../output/table.ts";

export const keyList = defineStoreCommand({
  name: "key list",
  summary: "List API keys with their status and the time of their last use.",
  examples: ["sluice key list --organization acme"],
  rights: ["key.read"],
  options: { organization: optional(text("ID"), "Only the keys of this organization.") },
  run: async (app, { organization }, { paint }) => {
    const keys = await listKeys(app, organization);
    return {
      json: { keys: keys.map((key) => viewKey(key, app.now())) },
      text:
        keys.length === 0
          ? "There is no key. Create one with: sluice key create --organization ID"
          : renderTable(columns(app.now()), keys, paint),
    };
  },
});

function columns(now: number): readonly Column<ApiKey>[] {
  return [
    { title: "key", cell: ({ keyId }) => keyId },
    { title: "organization", cell: ({ organizationId }) => organizationId },
    { title: "name", cell: ({ name }) => name },
    {
      title: "status",
      cell: (key) => formatKeyStatus(key, now),
      tone: (key) => (keyStatus(key, now) === "active" ? "good" : "bad"),
    },
    { title: "created", cell: ({ createdAt }) => formatTime(createdAt) },
    { title: "last used", cell: ({ lastUsedAt }) => formatTime(lastUsedAt) },
    { title: "scopes", cell: formatScopes },
  ];
}
