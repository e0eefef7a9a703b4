// Signs receipts with its own key, for tests that complete deletions below the actions.

import { generateKeyPairSync } from "node:crypto";
import { makeSealReceipt } from "../../src/actions/receipt/receipt-keys.ts";
import type { SealReceipt } from "../../src/store/interface/deletion.ts";

export function makeTestSeal(): SealReceipt {
  const { privateKey } = generateKeyPairSync("ed25519");
  return makeSealReceipt(
    () => privateKey,
    () => 0,
  );
}
