// The public keys of receipts in the store: the one in use is made known, and rotation retires the others. Sees a private
// key only to take its public part.

import type { KeyObject } from "node:crypto";
import type { ReceiptKey } from "../domain/deletion/receipt.ts";
import { actOf, type App } from "./app.ts";
import { publicPart } from "./issue-receipt.ts";

/** So that the key is published before the first receipt is signed with it. */
export async function keepReceiptKey(app: App, privateKey: KeyObject): Promise<ReceiptKey> {
  const key = publicPart(privateKey, app.now());
  await keep(app, key, false);
  return key;
}

/**
 * Makes the new key known first, then has `replace` put the private one in its place, and retires the others last: a crash
 * in between leaves a key that is known and not used.
 */
export async function rotateReceiptKey(
  app: App,
  privateKey: KeyObject,
  replace: () => void,
): Promise<ReceiptKey> {
  const key = await keepReceiptKey(app, privateKey);
  replace();
  await keep(app, key, true);
  return key;
}

function keep(app: App, key: ReceiptKey, retireOthers: boolean): Promise<void> {
  return app.store.keepReceiptKey(key, { retireOthers }, actOf(app));
}
