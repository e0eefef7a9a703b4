// Verifies a file that somebody presents while reading it: receipts, entries of the audit trail, or any export with its
// manifest. Works offline, and never holds the whole file.

import type { AuditRow } from "../../domain/audit-chain.ts";
import { aloneNo, receiptType } from "../../domain/deletion/receipt.ts";
import { type Manifest, manifestOf } from "../../domain/export-manifest.ts";
import { readUnambiguous } from "../../domain/json/repeated-name.ts";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";
import {
  describeGap,
  findSignatureFaults,
  type ReceiptGap,
  ReceiptVerifier,
  type RecordedRestore,
  signedDocument,
} from "../../actions/receipt/verify-receipt.ts";
import { receiptOf } from "./verify-document.ts";
import { verifyStatus } from "./verify-status.ts";
import type { PublishedKeys } from "../../actions/receipt/receipt-keys.ts";
import { type Heads, HeadSearch } from "./heads.ts";
import { LineReader } from "./lines.ts";
import { compareFile } from "../../actions/receipt/manifest.ts";
import { TrailVerifier } from "./verify-trail.ts";

export type FileKind = "receipts" | "audit" | "export";

export interface FileVerdict {
  readonly kind: FileKind;
  /** The number of lines; undefined for a format without lines. */
  readonly rows: number | undefined;
  /** A sentence each; none if everything that was examined is genuine and complete. */
  readonly faults: readonly string[];
  /** A sentence for each gap that a restore explains. */
  readonly explained: readonly string[];
  readonly completeness: Completeness;
  readonly manifest: Manifest | undefined;
  /** The number of the receipt or entry that was the last one when the head was published. */
  readonly head: number | undefined;
}

/** Up to when a file was found to be complete, and what nothing was there to compare with. */
export interface Completeness {
  /** RFC 3339: the time of the published head, or else of the manifest. */
  readonly until: string | undefined;
  /** Clauses without a full stop. */
  readonly notExamined: readonly string[];
}

export interface Given {
  readonly published: PublishedKeys;
  readonly heads?: Heads | undefined;
  /** A manifest in a file of its own. Otherwise it is the last line. */
  readonly manifest?: Manifest | undefined;
  /** What the file has to be; otherwise its first line decides. */
  readonly kind?: FileKind | undefined;
  readonly onEntry?: (row: AuditRow) => void;
  /** The restores that the audit trail records; undefined if it is not there to compare. */
  readonly restores?: readonly RecordedRestore[] | undefined;
}

const unknownEnd = "whether the end is missing: compare a published head";
export const unknownOutside =
  "whether receipts outside the chain are missing, those of closed organizations, restricted sets and confidential " +
  "records: compare the audit trail";

/** What a file without faults proves. `first`: the number with which its part of a chain begins. */
export function completenessOf(
  kind: FileKind,
  {
    heads,
    manifest,
    first = 1,
  }: Pick<Given, "heads" | "manifest"> & { first?: number | undefined },
): Completeness {
  const until = heads?.at ?? manifest?.made_at;
  const notExamined = [
    ...(first > 1 ? [`whether anything is missing before number ${first}, the first one`] : []),
    ...(until === undefined ? [unknownEnd] : []),
    ...(kind === "receipts" ? [unknownOutside] : []),
  ];
  return { until, notExamined };
}

export async function verifyFile(
  source: AsyncIterable<Uint8Array>,
  given: Given,
): Promise<FileVerdict> {
  const content = new ContentVerifier(given);
  const reader = new LineReader((line) => content.add(line));
  for await (const chunk of source) {
    reader.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
  const { manifest: last, isAfterManifest, ...counts } = reader.end();
  const faults = new Faults();
  faults.add(...content.end());
  const { kind, head } = content;
  const manifest =
    given.manifest ?? (last === undefined ? undefined : manifestOf(readUnambiguous(last)));
  const explained: string[] = [];
  // The receipts between those of one organization are those of others; its manifest says which are in the file.
  const isOfOne = typeof manifest?.organization_id === "string";
  for (const gap of isOfOne ? [] : content.gaps) {
    const { text, isExplained } = describeGap(gap, given.restores);
    if (isExplained) explained.push(text);
    else faults.add(text);
  }
  if (isAfterManifest) faults.add("The file continues after its manifest: something was added.");
  if (manifest === undefined) {
    // A file of a chain may be a part that somebody has taken from an export; an empty one is a part of nothing.
    const isChain = kind !== "export" && last === undefined && counts.rows > 0;
    if (!isChain) faults.add(lacksManifest(last !== undefined));
  } else {
    const isBeside = given.manifest !== undefined;
    const measured = { ...counts, rows: isBeside ? undefined : counts.rows };
    faults.add(...verifyManifest(manifest, given.published), ...compare(manifest, measured));
  }
  const first = isOfOne ? undefined : content.first;
  const { until, notExamined } = completenessOf(kind, { heads: given.heads, manifest, first });
  const members = [...content.unverified].join(", ");
  const completeness = {
    until,
    notExamined: [...notExamined, ...(members === "" ? [] : [`in statuses: ${members}`])],
  };
  const result = { faults: faults.list(), explained, completeness };
  return { kind, rows: counts.rows, ...result, manifest, head };
}

function lacksManifest(isDamaged: boolean): string {
  return isDamaged
    ? "The last line is not a readable manifest: it was changed or cut."
    : "The file has no manifest: its end was cut off, or its manifest is in a separate file.";
}

export function verifyManifest(manifest: Manifest, published: PublishedKeys): readonly string[] {
  const { key_id, signature } = manifest;
  return key_id === undefined || typeof signature !== "string"
    ? ["The manifest is not signed: the process that exported had no key."]
    : findSignatureFaults(
        "The manifest",
        signedDocument({ ...manifest, key_id, signature }),
        published,
      );
}

function compare(
  { files }: Manifest,
  measured: { readonly rows: number | undefined; readonly bytes: number; readonly sha256: string },
): readonly string[] {
  const [only, ...others] = files;
  if (only === undefined || others.length > 0) {
    const isOne = files.some(({ sha256 }) => sha256 === measured.sha256);
    return isOne ? [] : ["The manifest does not name this file."];
  }
  const fault = compareFile(only, measured);
  return fault === undefined ? [] : [fault];
}

const smallBytesMax = 64 * 1_024;

/** How many members that are not verified are named. */
const membersMax = 20;
/** How much is kept of a text that comes from the file, in UTF-16 code units. */
const textMax = 1_000;

const none = { faults: [], unverified: [] };

class ContentVerifier {
  kind: FileKind;
  /** At most as many as faults are listed; any more are faults. */
  readonly gaps: ReceiptGap[] = [];
  /** The first number in a chain. */
  first: number | undefined;
  /** Members of statuses that nothing in the file proves. */
  readonly unverified = new Set<string>();
  #isKnown: boolean;
  readonly #faults = new Faults();
  readonly #receipts: ReceiptVerifier;
  readonly #published: PublishedKeys;
  readonly #trail = new TrailVerifier();
  readonly #heads: Heads | undefined;
  readonly #onEntry: Given["onEntry"];
  #search: HeadSearch | undefined;
  #line = 0;
  readonly #isGiven: boolean;
  readonly #small: string[] = [];
  #smallBytes = 0;

  constructor({ published, heads, kind, onEntry }: Given) {
    this.kind = kind ?? "export";
    this.#isGiven = kind !== undefined;
    this.#isKnown = this.#isGiven;
    this.#receipts = new ReceiptVerifier(published);
    this.#published = published;
    this.#heads = heads;
    this.#onEntry = onEntry;
  }

  get head(): number | undefined {
    return this.#search?.found;
  }

  add(line: Buffer | undefined): void {
    this.#line += 1;
    this.#keep(line);
    if (this.#isKnown && this.kind === "export") return;
    const value = line === undefined ? undefined : readUnambiguous(line.toString("utf8"));
    if (!this.#isKnown) {
      this.kind = kindOf(value);
      this.#isKnown = true;
    }
    if (this.kind === "receipts") this.#addReceipt(value);
    if (this.kind === "audit") this.#addEntry(value);
  }

  /** If the first line of a small file is not conclusive, it may be one receipt, or a list, over several lines. */
  #keep(line: Buffer | undefined): void {
    this.#smallBytes += line?.length ?? smallBytesMax;
    const isSmall = this.kind === "export" && this.#smallBytes <= smallBytesMax;
    if (isSmall && line !== undefined) this.#small.push(line.toString("utf8"));
    else this.#small.length = 0;
  }

  end(): readonly string[] {
    const document =
      this.#smallBytes <= smallBytesMax ? readUnambiguous(this.#small.join("")) : undefined;
    const values: readonly unknown[] = Array.isArray(document) ? document : [document];
    if (
      this.kind === "export" &&
      !this.#isGiven &&
      values.every((one) => kindOf(one) === "receipts")
    ) {
      this.kind = "receipts";
      for (const [index, value] of values.entries()) {
        this.#line = index + 1;
        this.#addReceipt(value);
      }
    }
    if (this.#heads === undefined) return this.#faults.list();
    if (this.kind === "export") {
      this.#faults.add(
        "The file contains neither receipts nor the audit trail, so it has no head.",
      );
    } else {
      const fault = this.#searchFor(this.kind)?.fault();
      if (fault !== undefined) this.#faults.add(fault);
    }
    return this.#faults.list();
  }

  #searchFor(chain: "receipts" | "audit"): HeadSearch | undefined {
    this.#search ??= this.#heads && new HeadSearch(this.#heads, chain);
    return this.#search;
  }

  #addReceipt(value: unknown): void {
    const own = receiptOf(value);
    const { receipt, gap, ...found } = this.#receipts.add(own);
    const published = this.#published;
    const status = receipt && value !== own ? verifyStatus(receipt, value, { published }) : none;
    const faults = [...found.faults, ...status.faults];
    for (const member of status.unverified) {
      if (this.unverified.size < membersMax) this.unverified.add(member.slice(0, textMax));
    }
    if (gap !== undefined && this.gaps.length < listedMax) this.gaps.push(gap);
    else if (gap !== undefined) this.#faults.add(describeGap(gap, undefined).text);
    const no = receipt?.receipt_no ?? aloneNo;
    if (no !== aloneNo) this.first ??= no;
    const name = no === aloneNo ? `Line ${this.#line}` : `Receipt ${no}`;
    const text = faults.join(" ").slice(0, textMax);
    if (text !== "") this.#faults.add(`${name} is not genuine: ${text}`);
    if (receipt !== undefined) this.#searchFor("receipts")?.addReceipt(receipt);
  }

  #addEntry(value: unknown): void {
    const { row, faults } = this.#trail.add(value);
    this.#faults.add(...faults);
    if (row === undefined) return;
    this.first ??= row.entry_no;
    this.#onEntry?.(row);
    const at = (value as { readonly time: string }).time;
    this.#searchFor("audit")?.add({ no: row.entry_no, hash: row.hash }, at);
  }
}

function kindOf(value: unknown): FileKind {
  if (!isJsonObject(value)) return "export";
  if ("entry_no" in value && "previous_hash" in value) return "audit";
  const receipt = receiptOf(value);
  return isJsonObject(receipt) && receipt["type"] === receiptType ? "receipts" : "export";
}

const listedMax = 100;

export class Faults {
  readonly #listed: string[] = [];
  #count = 0;

  add(...faults: readonly string[]): void {
    this.#count += faults.length;
    this.#listed.push(...faults.slice(0, listedMax - this.#listed.length));
  }

  list(): readonly string[] {
    const more = this.#count - this.#listed.length;
    return more === 0 ? this.#listed : [...this.#listed, `There are ${more} further faults.`];
  }
}
