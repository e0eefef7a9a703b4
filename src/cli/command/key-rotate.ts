// `sluice key rotate`

import { rotateKey } from "../../actions/rotate-key.ts";
import { defineCommand, required, withDefault } from "../command.ts";
import { describeNewKey } from "../output/key-view.ts";
import { duration, text } from "../input/kinds.ts";
import { formatTime } from "../output/table.ts";

export const keyRotate = defineCommand({
  name: "key rotate",
  summary: "Replace an API key: create a successor, and expire the old key after an overlap.",
  details:
    "The successor has the same name, scopes and lifetime, and is shown only once. Both keys work during the overlap.",
  examples: ["sluice key rotate key_4fQ2mN8sT1vXc7Za --overlap 24h"],
  arguments: {
    keyId: required(text("KEY_ID"), "Id of the key as `key list` shows it, not the key itself."),
  },
  options: {
    overlap: withDefault(
      duration,
      "How long the old key and its tokens still work; 0s ends them at once.",
      "24h",
    ),
  },
  run: (context, { keyId, overlap }) =>
    context.withApp(async (app) => {
      const { key, secret, oldExpiresAt } = await rotateKey(app, { keyId, overlapMs: overlap });
      return {
        json: {
          key_id: key.keyId,
          api_key: secret,
          organization_id: key.organizationId,
          scopes: key.scopes,
          old_key_id: keyId,
          old_key_expires_at: formatTime(oldExpiresAt),
        },
        text: `${describeNewKey(key, secret)}\nThe old key ${keyId} works until ${formatTime(oldExpiresAt)}.`,
      };
    }),
});
