// Signs receipts with its own key, for tests that complete deletions below the actions.

import { generateKeyPairSync } from "node:crypto";
import { makeSealReceipt } from "../../src/actions/receipt/issue-receipt.ts";
import type { SealReceipt } from "../../src/store/interface/receipt.ts";

export function makeTestSeal(): SealReceipt {
  const { privateKey } = generateKeyPairSync("ed25519");
  return makeSealReceipt(
    () => privateKey,
    () => 0,
  );
}
