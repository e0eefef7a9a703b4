// Stores the public keys of receipts: publishes the current key, and retires the others when it is rotated. Uses a
// private key only to derive its public part.

import type { KeyObject } from "node:crypto";
import type { ReceiptKey } from "../../domain/deletion/receipt.ts";
import { actOf, type App } from "../app.ts";
import { publicPart } from "./issue-receipt.ts";
import { requireRight } from "../operator/viewer.ts";

/** Must be called before the first receipt is signed with the key. */
export async function keepReceiptKey(app: App, privateKey: KeyObject): Promise<ReceiptKey> {
  const key = publicPart(privateKey, app.now());
  await keep(app, key, false);
  return key;
}

/**
 * Publishes the new key first, then calls `replace` to write the private one, and retires the others last: a crash in
 * between leaves a key that is published and not used.
 */
export async function rotateReceiptKey(
  app: App,
  privateKey: KeyObject,
  replace: () => void,
): Promise<ReceiptKey> {
  requireRight(app, "receipt_key.rotate");
  const key = await keepReceiptKey(app, privateKey);
  replace();
  await keep(app, key, true);
  return key;
}

function keep(app: App, key: ReceiptKey, retireOthers: boolean): Promise<void> {
  return app.store.keepReceiptKey(key, { retireOthers }, actOf(app));
}
