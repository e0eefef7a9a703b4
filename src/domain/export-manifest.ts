// The form of the manifest of an export: what was requested, when, and the rows, bytes and SHA-256 of what was written.
// Its only data of records are ids that were asked for. Signed and verified elsewhere.

import { canonicalJson } from "./json/canonical-json.ts";
import { isJsonObject } from "./schema/schema-shape.ts";

export const manifestType = "sluice-export-manifest";

export interface ManifestFile {
  /** In a folder. A single file may be renamed. */
  readonly name?: string;
  readonly resource_type?: string;
  /** 0 for a file without rows. */
  readonly rows: number;
  /** The size of the content before compression. */
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
  /** `export` says what was exported, such as `records`; the other members are the options. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly files: readonly ManifestFile[];
  /** Missing, like the signature, if the exporting process had no key. */
  readonly key_id?: string;
}

export interface Manifest extends ManifestBody {
  /** Ed25519 over the canonical JSON of everything else, base64url. */
  readonly signature?: string;
}

/** The beginning of the last line of an export as NDJSON. No record and no entry has a field of this name. */
export const manifestLineStart = '{"sluice_manifest":';

export function lineOfManifest(manifest: Manifest): string {
  return `${manifestLineStart}${canonicalJson(manifest)}}\n`;
}

/** The manifest of such a line, or of a separate file. Undefined for other values. */
export function manifestOf(value: unknown): Manifest | undefined {
  const inner = isJsonObject(value) ? (value["sluice_manifest"] ?? value) : undefined;
  return isManifest(inner) ? inner : undefined;
}

function isManifest(value: unknown): value is Manifest {
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

function isFile(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { name = "", rows, bytes, sha256 } = value;
  const counts = [rows, bytes].every((count) => Number.isSafeInteger(count));
  return counts && typeof name === "string" && typeof sha256 === "string";
}
