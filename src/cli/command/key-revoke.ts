// `sluice key revoke`

import { revokeKey } from "../../actions/access/revoke-key.ts";
import { defineStoreCommand } from "../command.ts";
import { keyArguments } from "../input/kinds.ts";
import { viewKey } from "../output/key-view.ts";
import { formatTime } from "../output/table.ts";

export const keyRevoke = defineStoreCommand({
  name: "key revoke",
  summary: "Revoke an API key and all its tokens. A running server applies it within 2 seconds.",
  examples: ["sluice key revoke key_4fQ2mN8sT1vXc7Za"],
  rights: ["key.revoke"],
  arguments: keyArguments,
  restoring: true,
  run: async (app, { keyId }) => {
    const key = await revokeKey(app, keyId);
    return {
      json: viewKey(key, app.now()),
      text: `The key ${key.keyId} of organization ${key.organizationId} was revoked at ${formatTime(key.revokedAt)}.`,
    };
  },
});
