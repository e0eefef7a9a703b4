// `sluice key revoke`

import { revokeKey } from "../../actions/revoke-key.ts";
import { defineCommand, required } from "../command.ts";
import { viewKey } from "../output/key-view.ts";
import { text } from "../input/kinds.ts";
import { formatTime } from "../output/table.ts";

export const keyRevoke = defineCommand({
  name: "key revoke",
  summary: "Revoke an API key and all its tokens. A running server applies it within 2 seconds.",
  examples: ["sluice key revoke key_4fQ2mN8sT1vXc7Za"],
  arguments: {
    keyId: required(text("KEY_ID"), "Id of the key as `key list` shows it, not the key itself."),
  },
  options: {},
  run: (context, { keyId }) =>
    context.withApp(
      async (app) => {
        const key = await revokeKey(app, keyId);
        return {
          json: viewKey(key, app.now()),
          text: `The key ${key.keyId} of organization ${key.organizationId} was revoked at ${formatTime(key.revokedAt)}.`,
        };
      },
      { restoring: true },
    ),
});
