// Publishes signed commitments to the last receipt and to the last entry of the audit trail, and finds in a file what
// they commit to. Somebody who has neither learns nothing from them, not even whether one was added.

import { hash, verify } from "node:crypto";
import type { ChainHead } from "../../domain/deletion/ledger-entry.ts";
import { aloneNo, chainedText, type Receipt } from "../../domain/deletion/receipt.ts";
import type { App, Signer } from "../../actions/app.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { type PublishedKeys, toPublicKey } from "../../actions/receipt/receipt-keys.ts";

export interface PublishedHeads {
  readonly store_id: string;
  /** A signed note (https://c2sp.org/signed-note). */
  readonly note: string;
}

export type ChainName = "receipts" | "audit";

/** The content of a note whose signature is valid. */
export interface Heads {
  readonly storeId: string;
  /** RFC 3339: when these were the last links of the chains. */
  readonly at: string;
  readonly commitments: Readonly<Record<ChainName, string>>;
}

/** Undefined if this process has no key. */
export async function publishHeads(app: App): Promise<PublishedHeads | undefined> {
  const signer = app.signer();
  if (signer === undefined) return undefined;
  const [receipts, audit] = await Promise.all([app.store.receiptHead(), app.store.trail.head()]);
  const { storeId } = receipts;
  const place = { storeId, at: new Date(app.now()).toISOString() };
  const text = [
    keyNameOf(storeId),
    place.at,
    `receipts ${commit(place, "receipts", { no: receipts.receiptNo, hash: receipts.hash })}`,
    `audit ${commit(place, "audit", audit)}`,
    "",
  ].join("\n");
  return { store_id: storeId, note: sign(text, keyNameOf(storeId), signer) };
}

/** Nobody without the link can test a guess. Because of the time, two commitments to the same link differ. */
function commit(
  { storeId, at }: Pick<Heads, "storeId" | "at">,
  chain: ChainName,
  link: ChainHead,
): string {
  const list = ["sluice-head", chain, storeId, at, link.no, link.hash];
  return hash("sha256", JSON.stringify(list), "base64");
}

export function isHead(heads: Heads, chain: ChainName, link: ChainHead): boolean {
  return commit(heads, chain, link) === heads.commitments[chain];
}

function keyNameOf(storeId: string): string {
  return `sluice-heads/${storeId}`;
}

/** The algorithm of Ed25519 in a signed note. */
const ed25519 = 0x01;
const keyIdBytes = 4;

function noteKeyId(keyName: string, publicKey: string): Buffer {
  const key = Buffer.from(publicKey, "base64url");
  const named = Buffer.concat([Buffer.from(`${keyName}\n`), Buffer.of(ed25519), key]);
  return hash("sha256", named, "buffer").subarray(0, keyIdBytes);
}

function sign(text: string, keyName: string, signer: Signer): string {
  const signature = Buffer.from(signer.sign(text), "base64url");
  const value = Buffer.concat([noteKeyId(keyName, signer.publicKey), signature]).toString("base64");
  return writeNote({ text, signatures: [{ keyName, value }] });
}

/** Reads the note, alone or in the published JSON. Throws OperatorError unless it is signed with one of the keys. */
export function readHeads(content: string, published: PublishedKeys): Heads {
  // Forms in browsers change the ends of lines.
  const note = readNote(noteOf(content).replaceAll("\r\n", "\n"));
  const [origin = "", at = "", ...lines] = note?.text.split("\n") ?? [];
  const [, storeId = ""] = /^sluice-heads\/(\S+)$/.exec(origin) ?? [];
  const [, receipts] = /^receipts (\S+)$/.exec(lines[0] ?? "") ?? [];
  const [, audit] = /^audit (\S+)$/.exec(lines[1] ?? "") ?? [];
  const isWhole = storeId !== "" && !Number.isNaN(Date.parse(at));
  if (note === undefined || receipts === undefined || audit === undefined || !isWhole) {
    throw new OperatorError(
      "file",
      "The heads are neither a signed note nor the JSON of /.well-known/sluice-heads.json.",
    );
  }
  if (published.store_id !== "" && published.store_id !== storeId) {
    throw new OperatorError(
      "keys",
      `The heads belong to the store ${storeId}, but the keys to ${published.store_id}.`,
    );
  }
  if (!note.signatures.some(({ keyName, value }) => isSigned(note.text, keyName, value))) {
    throw new OperatorError(
      "keys",
      "The heads are not signed with any of the keys: they were changed, or come from another service.",
    );
  }
  return { storeId, at, commitments: { receipts, audit } };

  function isSigned(text: string, keyName: string, value: string): boolean {
    const bytes = Buffer.from(value, "base64");
    const [id, signature] = [bytes.subarray(0, keyIdBytes), bytes.subarray(keyIdBytes)];
    return (
      keyName === origin &&
      published.keys.some(
        ({ x }) =>
          noteKeyId(keyName, x).equals(id) &&
          verify(null, Buffer.from(text), toPublicKey(x), signature),
      )
    );
  }
}

function noteOf(given: string): string {
  if (!given.trimStart().startsWith("{")) return given;
  try {
    const { note } = JSON.parse(given) as { readonly note?: unknown };
    return typeof note === "string" ? note : "";
  } catch {
    return "";
  }
}

/** What a file of a chain says about the published head. Its members must be added in the order of the chain. */
export class HeadSearch {
  readonly #heads: Heads;
  readonly #chain: ChainName;
  #found: number | undefined;
  #first: string | undefined;
  #last: { readonly no: number; readonly at: string } | undefined;

  constructor(heads: Heads, chain: ChainName) {
    this.#heads = heads;
    this.#chain = chain;
  }

  /** `at`: the time of the link, RFC 3339. */
  add(link: ChainHead, at: string): void {
    if (isHead(this.#heads, this.#chain, link)) this.#found = link.no;
    this.#first ??= at;
    this.#last = { no: link.no, at };
  }

  /** Ignores a receipt that is in no chain. */
  addReceipt(receipt: Receipt): void {
    if (receipt.receipt_no === aloneNo) return;
    const link = { no: receipt.receipt_no, hash: hash("sha256", chainedText(receipt)) };
    this.add(link, receipt.completed_at);
  }

  /** The number of the link that was the last one when the head was published. */
  get found(): number | undefined {
    return this.#found;
  }

  /** A sentence; undefined if the file has the head, or the chain was empty then. */
  fault(): string | undefined {
    const none = { no: 0, hash: "0".repeat(64) };
    if (this.#found !== undefined || isHead(this.#heads, this.#chain, none)) return undefined;
    const { at } = this.#heads;
    const what = this.#chain === "audit" ? "entry of the trail" : "receipt";
    const head = `the last ${what} when the head was published at ${at}`;
    if (this.#last === undefined) return `The file has none, so it lacks ${head}.`;
    if (this.#last.at <= at) {
      return (
        `The file ends with number ${this.#last.no}, before ${head}: its end was cut off, ` +
        "or it was exported before that time."
      );
    }
    if ((this.#first ?? "") > at) return `The file begins after ${head}.`;
    return `The file lacks ${head}: it was rewritten, or a restore of the store has cut the chain since.`;
  }
}

interface NoteSignature {
  readonly keyName: string;
  /** The key id, four bytes, and the signature; base64. */
  readonly value: string;
}

interface SignedNote {
  /** Ends with a newline, which is signed too. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const signaturesMax = 16;
const signatureLine = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u;

function writeNote({ text, signatures }: SignedNote): string {
  const lines = signatures.map(({ keyName, value }) => `— ${keyName} ${value}\n`);
  return `${text}\n${lines.join("")}`;
}

function readNote(note: string): SignedNote | undefined {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) return undefined;
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > signaturesMax) return undefined;
  const signatures = lines.flatMap((line) => {
    const [, keyName, value] = signatureLine.exec(line) ?? [];
    return keyName === undefined || value === undefined ? [] : [{ keyName, value }];
  });
  return signatures.length === lines.length
    ? { text: note.slice(0, end + 1), signatures }
    : undefined;
}
