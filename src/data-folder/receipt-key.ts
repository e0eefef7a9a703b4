// The private key that signs receipts, in a file that only its owner can read. It is never logged, stored or sent; only
// its public part is published.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { accessSync, constants, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../settings/config.ts";
import { codeOf, FileError } from "../files/file-error.ts";
import { readNamedFile } from "../files/named-file.ts";
import { syncFolder, temporaryName, writeOwnFile } from "../files/own-file.ts";
import { explainCreation, explainOpening, isPresent } from "../files/present.ts";
import { makePrivateFolder } from "../files/private-folder.ts";

const what = "The key for receipts";

/** Reads the current key on each call, so that a rotation takes effect without a restart. It throws FileError. */
export function makeKeyReader(config: Config): () => KeyObject {
  const { receiptKeyFile: path } = config;
  let cached: { readonly stamp: string; readonly key: KeyObject } | undefined;
  return () => {
    if (!isPresent(path, what)) makeFirstKey(config);
    const stamp = stampOf(path);
    if (cached?.stamp !== stamp) cached = { stamp, key: readKey(path) };
    return cached.key;
  };
}

/** Whether the setting names the key; otherwise the first process creates it in the data folder. */
export function isNamedKey({ receiptKeyFile: path, dataDir }: Config): boolean {
  return path !== join(dataDir, "receipt-key.pem");
}

/** Whether this process can sign: the key exists, and this user may read it. */
export function hasReceiptKey({ receiptKeyFile: path }: Config): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** A new key for rotation, only in memory until `replaceKey` writes it. */
export function makeKey(): KeyObject {
  return generateKeyPairSync("ed25519").privateKey;
}

/** Returns the key that was there, if there was one. `beside`: the file's name until it is complete. */
export function replaceKey(
  { receiptKeyFile: path }: Pick<Config, "receiptKeyFile">,
  key: KeyObject,
  beside = temporaryName(path, "new"),
): KeyObject | undefined {
  writeKey(beside, key);
  // Right before: another rotation must not come between.
  const old = isPresent(path, what) ? readKey(path) : undefined;
  renameSync(beside, path);
  syncFolder(dirname(path));
  return old;
}

/** If two processes start at once, one creates the key and the other one finds it. */
function makeFirstKey(config: Config): void {
  const { receiptKeyFile: path } = config;
  if (isNamedKey(config)) {
    throw new FileError(
      `RECEIPT_KEY_FILE names ${path}, which does not exist. Put the key there, or create one: ` +
        `openssl genpkey -algorithm ed25519 -out ${path}`,
    );
  }
  makePrivateFolder(dirname(path));
  const written = temporaryName(path, "new");
  writeKey(written, makeKey());
  try {
    linkSync(written, path);
    syncFolder(dirname(path));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(written);
  }
}

function writeKey(beside: string, key: KeyObject): void {
  try {
    writeOwnFile(beside, key.export({ format: "pem", type: "pkcs8" }));
  } catch (cause) {
    throw explainCreation(cause, "The file", beside);
  }
}

function readKey(path: string): KeyObject {
  const bytes = readBytes(path);
  let key: KeyObject;
  try {
    key = createPrivateKey(bytes);
  } catch (error) {
    throw notKey(path, codeOf(error));
  }
  if (key.asymmetricKeyType !== "ed25519") throw notKey(path, key.asymmetricKeyType);
  return key;
}

function notKey(path: string, found = "unknown format"): FileError {
  return new FileError(
    `The key for receipts ${path} can't be used (${found}): it must be an Ed25519 private key in PEM format, without a ` +
      "passphrase.",
    { path },
  );
}

function readBytes(path: string): Buffer {
  try {
    return readNamedFile(path);
  } catch (cause) {
    throw explainOpening(cause, what, path);
  }
}

function stampOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path);
  return `${ino} ${mtimeMs} ${size}`;
}
