// `sluice receipt rotate`

import { rotateReceiptKey } from "../../actions/receipt/rotate-receipt-key.ts";
import { readConfig } from "../../settings/config.ts";
import { makeKey, replaceKey } from "../../data-folder/receipt-key.ts";
import { defineStoreCommand } from "../command.ts";

export const receiptRotate = defineStoreCommand({
  name: "receipt rotate",
  summary: "Replace the key that receipts are signed with.",
  details:
    "Processes that use the same key file sign the next receipt with the new key, without a restart. The old public keys stay " +
    "published, so receipts that were signed with them remain genuine; the old private key is destroyed.",
  examples: ["sluice receipt rotate"],
  rights: ["receipt_key.rotate"],
  run: async (app, _, context) => {
    const config = readConfig(context.environment);
    const privateKey = makeKey();
    const key = await rotateReceiptKey(app, privateKey, () => replaceKey(config, privateKey));
    return {
      json: { key_id: key.keyId, key_file: config.receiptKeyFile },
      text: `From now on, receipts are signed with the key ${key.keyId} (${config.receiptKeyFile}).`,
    };
  },
});
