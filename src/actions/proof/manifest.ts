// The manifest of an export: what was asked, when, and the rows, bytes and SHA-256 of what was written, signed with the
// key of receipts. Its digest is in the audit trail. Contains nothing of a record.

import { hash, verify } from "node:crypto";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";
import { actOf, type App } from "../app.ts";
import { makeId } from "../credential.ts";
import { readJson } from "./read-json.ts";
import { thumbprint, toPublicKey } from "../receipt/issue-receipt.ts";
import type { PublishedKeys } from "../receipt/receipt-keys.ts";

const manifestType = "sluice-export-manifest";

export interface ManifestFile {
  /** In a folder. A file by itself may be renamed. */
  readonly name?: string;
  readonly resource_type?: string;
  readonly rows: number;
  /** Of the content, before it is compressed. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface ManifestBody {
  readonly type: typeof manifestType;
  readonly version: 1;
  readonly store_id: string;
  readonly export_id: string;
  /** Null for all organizations. */
  readonly organization_id: string | null;
  /** When the export ended, RFC 3339. */
  readonly made_at: string;
  /** What was exported, and by which options. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly files: readonly ManifestFile[];
  /** Missing, as the signature, if the process that exported had no key. */
  readonly key_id?: string;
}

export interface Manifest extends ManifestBody {
  /** Ed25519 over the canonical JSON of everything else, base64url. */
  readonly signature?: string;
}

export interface Exported {
  readonly exportId?: string;
  readonly organizationId: string | undefined;
  /** `export` says what it is, such as `records`. */
  readonly query: { readonly export: string } & Readonly<Record<string, unknown>>;
  readonly files: readonly ManifestFile[];
}

/** Signs the manifest, and writes its digest to the audit trail before it is returned. */
export async function sealManifest(
  app: App,
  { exportId = makeId("exp"), organizationId, query, files }: Exported,
): Promise<Manifest> {
  const { storeId } = await app.store.receiptHead();
  const signer = app.signer();
  const body: ManifestBody = {
    type: manifestType,
    version: 1,
    store_id: storeId,
    export_id: exportId,
    organization_id: organizationId ?? null,
    made_at: new Date(app.now()).toISOString(),
    // Options that were not given are left out.
    query: JSON.parse(JSON.stringify(query)) as ManifestBody["query"],
    files,
    ...(signer && { key_id: signer.keyId }),
  };
  const manifest = signer ? { ...body, signature: signer.sign(canonicalJson(body)) } : body;
  const detail = { export: query.export, manifest: digestOfManifest(manifest) };
  const note = { action: "export.manifest", organizationId, subject: exportId, detail };
  await app.store.trail.note(note, actOf(app));
  return manifest;
}

/** SHA-256 of its canonical JSON, in hex. */
export function digestOfManifest(manifest: Manifest): string {
  return hash("sha256", canonicalJson(manifest));
}

/** The last line of an export as NDJSON. No record and no entry has a field of this name. */
export function lineOfManifest(manifest: Manifest): string {
  return `{"$manifest":${canonicalJson(manifest)}}\n`;
}

export const manifestLineStart = '{"$manifest":';

/** Reads the JSON of a manifest, by itself or as a line of an export. Undefined if it is none. */
export function readManifest(text: string): Manifest | undefined {
  const value = readJson(text);
  const inner = isJsonObject(value) ? (value["$manifest"] ?? value) : undefined;
  return isManifest(inner) ? inner : undefined;
}

export function isManifest(value: unknown): value is Manifest {
  if (!isJsonObject(value)) return false;
  const { type, version, store_id, export_id, made_at, query, files } = value;
  return (
    type === manifestType &&
    version === 1 &&
    [store_id, export_id, made_at].every((text) => typeof text === "string") &&
    isJsonObject(query) &&
    Array.isArray(files) &&
    files.every(isFile)
  );
}

function isFile(value: unknown): value is ManifestFile {
  if (!isJsonObject(value)) return false;
  const { name = "", rows, bytes, sha256 } = value;
  const counts = [rows, bytes].every((count) => Number.isSafeInteger(count));
  return counts && typeof name === "string" && typeof sha256 === "string";
}

/** A sentence for each fault of the signature. */
export function verifyManifest(manifest: Manifest, published: PublishedKeys): readonly string[] {
  const { signature, ...body } = manifest;
  const { key_id: keyId, store_id: storeId } = manifest;
  if (published.store_id !== "" && storeId !== published.store_id) {
    return [`The manifest is of another store, ${storeId}; the keys are of ${published.store_id}.`];
  }
  if (keyId === undefined || typeof signature !== "string") {
    return ["The manifest is not signed: the process that exported had no key."];
  }
  const key = published.keys.find(({ kid }) => kid === keyId);
  if (key === undefined || thumbprint(key.x) !== keyId) {
    return [
      `The manifest names the key ${keyId}, which is not among the keys: it is of another service.`,
    ];
  }
  const bytes = Buffer.from(signature, "base64url");
  return verify(null, Buffer.from(canonicalJson(body)), toPublicKey(key.x), bytes)
    ? []
    : ["The signature of the manifest is not valid: it was changed after it was signed."];
}

export interface Measured {
  readonly rows: number | undefined;
  readonly bytes: number;
  readonly sha256: string;
}

/** A sentence if the content is not what the manifest says. */
export function compareFile(expected: ManifestFile, found: Measured): string | undefined {
  const what = expected.name ?? "The file";
  if (found.sha256 === expected.sha256 && found.bytes === expected.bytes) {
    return found.rows === undefined || found.rows === expected.rows
      ? undefined
      : `${what} has ${found.rows} rows, and the manifest says ${expected.rows}.`;
  }
  if (found.bytes < expected.bytes) {
    return (
      `${what} has ${found.bytes} bytes of the ${expected.bytes} that its manifest names: it was cut, or the manifest is ` +
      "of another file."
    );
  }
  return `${what} is not what the manifest describes: it was changed, or the manifest is of another file.`;
}
