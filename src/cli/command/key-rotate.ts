// `sluice key rotate`

import { rotateKey } from "../../actions/access/rotate-key.ts";
import { defineStoreCommand, withDefault } from "../command.ts";
import { duration, keyArguments } from "../input/kinds.ts";
import { describeNewKey, viewNewKey } from "../output/key-view.ts";
import { formatTime } from "../output/table.ts";

export const keyRotate = defineStoreCommand({
  name: "key rotate",
  summary: "Replace an API key: create a successor, and expire the old key after an overlap.",
  details:
    "The successor has the same name, scopes and lifetime, and is shown only once. Both keys work during the overlap.",
  examples: ["sluice key rotate key_4fQ2mN8sT1vXc7Za --overlap 24h"],
  rights: ["key.rotate"],
  arguments: keyArguments,
  options: {
    overlap: withDefault(
      duration,
      "How long the old key and its tokens remain valid; 0s ends them at once.",
      "24h",
    ),
  },
  run: async (app, { keyId, overlap }) => {
    const rotated = await rotateKey(app, { keyId, overlapMs: overlap });
    const oldExpiresAt = formatTime(rotated.oldExpiresAt);
    return {
      json: { ...viewNewKey(rotated), old_key_id: keyId, old_key_expires_at: oldExpiresAt },
      text: `${describeNewKey(rotated)}\nThe old key ${keyId} works until ${oldExpiresAt}.`,
    };
  },
});
