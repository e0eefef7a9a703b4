// The private key that signs receipts, as a file that only its owner can read. Never logged, never in a store, never sent
// anywhere; what is published is its public part.

import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "./config.ts";
import { FileError } from "./files/file-error.ts";
import { explainCreation, explainOpening, isPresent } from "./files/present.ts";
import { makePrivateFolder } from "./files/private-folder.ts";

const what = "The key for receipts";

/** The file can't be used; the message says what to do, and never what is in it. */
export class ReceiptKeyError extends FileError {}

/** Gives the key as it is in the file now, so that a rotation takes effect without a restart. */
export function makeKeyReader(config: Config): () => KeyObject {
  const { receiptKeyFile: path } = config;
  let kept: { readonly stamp: string; readonly key: KeyObject } | undefined;
  return () => {
    if (!isPresent(path, what)) makeFirstKey(config);
    const stamp = stampOf(path);
    if (kept?.stamp !== stamp) kept = { stamp, key: readKey(path) };
    return kept.key;
  };
}

/** Whether this process can sign: the key is there, and it may read it. */
export function hasReceiptKey({ receiptKeyFile: path }: Config): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** A new key for rotation, in memory only until `replaceKey` puts it in its place. */
export function makeKey(): KeyObject {
  return generateKeyPairSync("ed25519").privateKey;
}

export function replaceKey({ receiptKeyFile: path }: Config, key: KeyObject): void {
  renameSync(writeKey(path, key), path);
  syncFolder(path);
}

/** Of two processes that begin at once, one makes it and the other finds it. */
function makeFirstKey({ receiptKeyFile: path, dataDir }: Config): void {
  if (path !== defaultKeyFile(dataDir)) {
    throw new ReceiptKeyError(
      `RECEIPT_KEY_FILE names ${path}, which does not exist. Put the key there, or make one: ` +
        `openssl genpkey -algorithm ed25519 -out ${path}`,
    );
  }
  makePrivateFolder(dirname(path));
  const written = writeKey(path, makeKey());
  try {
    linkSync(written, path);
    syncFolder(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(written);
  }
}

export function defaultKeyFile(dataDir: string): string {
  return join(dataDir, "receipt-key.pem");
}

/** Gives the name of the file that now holds it, beside the one that it is for. */
function writeKey(path: string, key: KeyObject): string {
  const beside = `${path}.${randomBytes(6).toString("hex")}`;
  const file = openNew(beside);
  try {
    writeSync(file, key.export({ format: "pem", type: "pkcs8" }));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return beside;
}

function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (cause) {
    throw explainCreation(cause, "The file", path);
  }
}

function readKey(path: string): KeyObject {
  const bytes = readBytes(path);
  let key: KeyObject;
  try {
    key = createPrivateKey(bytes);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new ReceiptKeyError(
      `The key for receipts in ${path} can't be read (${why}); it has to be an Ed25519 private key in PEM.`,
    );
  }
  if (key.asymmetricKeyType !== "ed25519") {
    throw new ReceiptKeyError(`The key for receipts in ${path} is not an Ed25519 key.`);
  }
  return key;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw explainOpening(cause, what, path);
  }
}

function stampOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path);
  return `${ino} ${mtimeMs} ${size}`;
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
