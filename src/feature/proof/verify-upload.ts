// Verifies a file that a person presents to the service, within bounds, with the published keys of the service. Also
// finds when the store was copied or replaced, according to the trail. Holds one line of the file at a time.

import type { AuditPart } from "../../store/interface/trail.ts";
import { manifestOf } from "../../domain/export-manifest.ts";
import type { App } from "../../actions/app.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { Turns } from "../../basics/turns.ts";
import { hasRight, requireRight } from "../../actions/operator/viewer.ts";
import { publishReceiptKeys } from "../../actions/receipt/receipt-keys.ts";
import { readHeads } from "./heads.ts";
import { digestOfManifest } from "../../actions/receipt/manifest.ts";
import { readUnambiguous } from "../../domain/json/repeated-name.ts";
import { restoreOf } from "../../actions/ledger/keep-ledger.ts";
import type { RecordedRestore } from "../../actions/receipt/verify-receipt.ts";
import { type FileVerdict, verifyFile } from "./verify-file.ts";

/** Each receipt takes a tenth of a millisecond, between two chunks of the file. */
export const presentedBytesMax = 256 * 1_024 * 1_024;

export interface Presented {
  readonly content: AsyncIterable<Uint8Array>;
  /** Pasted text; empty for none. */
  readonly manifest: string;
  readonly heads: string;
}

export interface PresentedVerdict extends FileVerdict {
  /** The entry of the trail that has the digest of the manifest, if this person may read it and it was found. */
  readonly notedIn: number | undefined;
  readonly isHeadGiven: boolean;
}

/** Throws OperatorError not_permitted, invalid, file and keys, and what reading the content throws. */
export async function verifyUpload(
  app: App,
  { content, manifest: pasted, heads }: Presented,
): Promise<PresentedVerdict> {
  requireRight(app, "deletion.read");
  const published = await publishReceiptKeys(app);
  const manifest = pasted.trim() === "" ? undefined : manifestOf(readUnambiguous(pasted));
  if (pasted.trim() !== "" && manifest === undefined) {
    throw new OperatorError("invalid", "The text is not a manifest. Paste the JSON of the file.");
  }
  const given = heads.trim() === "" ? undefined : readHeads(`${heads.trim()}\n`, published);
  const restores = await findRestores(app);
  const verdict = await verifyFile(inTurns(bounded(content), app.operator), {
    published,
    manifest,
    heads: given,
    restores,
  });
  const notedIn = await findNote(app, verdict);
  return { ...verdict, notedIn, isHeadGiven: given !== undefined };
}

async function* bounded(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of content) {
    bytes += part.length;
    if (bytes > presentedBytesMax) {
      throw new OperatorError(
        "invalid",
        `The file has more than ${presentedBytesMax.toLocaleString("en")} bytes. Verify it on the server.`,
      );
    }
    yield part;
  }
}

/** A line that is not JSON takes longer than a receipt for its length: others are served between two steps. */
const turns = new Turns();
const stepMs = 2;
const partBytes = 1_024;

async function* inTurns(
  content: AsyncIterable<Uint8Array>,
  person: string,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    let until = 0;
    for (let at = 0; at < chunk.length; at += partBytes) {
      if (performance.now() >= until) {
        await turns.next(person);
        until = performance.now() + stepMs;
      }
      yield chunk.subarray(at, at + partBytes);
    }
  }
}

const examinedMax = 10_000;
const listedMax = 50;
const restoresMax = 1_000;

function mayReadTrail(app: App): boolean {
  return hasRight(app, "audit.read") && hasRight(app, "confidential.read");
}

async function findNote(app: App, { manifest }: FileVerdict): Promise<number | undefined> {
  if (manifest === undefined || !mayReadTrail(app)) return undefined;
  const at = Date.parse(manifest.made_at);
  if (Number.isNaN(at)) return undefined;
  const { entries } = await search(app, "export.manifest", { from: at, until: at + 60_000 });
  const digest = digestOfManifest(manifest);
  return entries.find(({ detail }) => detail["manifest"] === digest)?.entryNo;
}

/** Undefined if this person may not read the trail. */
async function findRestores(app: App): Promise<readonly RecordedRestore[] | undefined> {
  if (!mayReadTrail(app)) return undefined;
  const entries = await app.store.trail.listRestores(restoresMax);
  return entries.flatMap((entry) => restoreOf(entry) ?? []);
}

export type Copies = AuditPart;

/** Backups and restores by this service; undefined if this person may not read the trail. */
export async function listCopies(app: App): Promise<Copies | undefined> {
  return mayReadTrail(app) ? search(app, "store", {}) : undefined;
}

function search(
  { store }: App,
  action: string,
  { from, until }: { readonly from?: number; readonly until?: number },
) {
  const query = { actor: undefined, organizationId: undefined, action, from, until };
  return store.trail.search({ ...query, before: undefined, limit: listedMax, examinedMax });
}
