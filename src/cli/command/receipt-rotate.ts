// `sluice receipt rotate`

import { rotateReceiptKey } from "../../actions/rotate-receipt-key.ts";
import { readConfig } from "../../config.ts";
import { makeKey, replaceKey } from "../../receipt-key.ts";
import { defineCommand } from "../command.ts";

export const receiptRotate = defineCommand({
  name: "receipt rotate",
  summary: "Replace the key that receipts are signed with.",
  details:
    "Processes that read the same key file sign with the new key from the next receipt on, without a restart. The old public " +
    "keys stay published, so receipts that were signed with them go on being genuine; the old private key is gone.",
  examples: ["sluice receipt rotate"],
  arguments: {},
  options: {},
  run: (context) =>
    context.withApp(async (app) => {
      const config = readConfig(context.environment);
      const privateKey = makeKey();
      const key = await rotateReceiptKey(app, privateKey, () => replaceKey(config, privateKey));
      return {
        json: { key_id: key.keyId, key_file: config.receiptKeyFile },
        text: `Receipts are signed with the key ${key.keyId} from now on (${config.receiptKeyFile}).`,
      };
    }),
});
