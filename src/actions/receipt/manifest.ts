// Signs the manifest of an export with the key of receipts, and writes its digest to the audit trail.

import { createHash, hash } from "node:crypto";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import {
  type Manifest,
  type ManifestBody,
  type ManifestFile,
  manifestType,
  lineOfManifest,
} from "../../domain/export-manifest.ts";
import { actOf, type App } from "../app.ts";
import { makeId } from "../credential.ts";
import { wasRolledBack } from "../ledger/keep-ledger.ts";
import { formatCount } from "../../basics/format-count.ts";

export class Measure {
  readonly #sum = createHash("sha256");
  #bytes = 0;
  rows = 0;

  add(part: string | Uint8Array): void {
    this.#sum.update(part);
    this.#bytes += typeof part === "string" ? Buffer.byteLength(part) : part.length;
  }

  /** Call only once, at the end. */
  end(): ManifestFile {
    return { rows: this.rows, bytes: this.#bytes, sha256: this.#sum.digest("hex") };
  }
}

export interface Exported {
  readonly exportId?: string;
  readonly organizationId: string | undefined;
  /** `export` says what it is, such as `records`. */
  readonly query: { readonly export: string } & Readonly<Record<string, unknown>>;
  readonly files: readonly ManifestFile[];
}

export async function makeManifestBody(
  app: App,
  { exportId = makeId("exp"), organizationId, query, files }: Exported,
): Promise<ManifestBody> {
  const { storeId } = await app.store.receiptHead();
  const keyId = app.signer()?.keyId;
  return {
    type: manifestType,
    version: 1,
    store_id: storeId,
    export_id: exportId,
    organization_id: organizationId ?? null,
    made_at: new Date(app.now()).toISOString(),
    // Options that were not given are omitted.
    query: JSON.parse(JSON.stringify(query)) as ManifestBody["query"],
    files,
    ...(keyId !== undefined && { key_id: keyId }),
  };
}

/** Signs the manifest, and writes its digest to the audit trail before it is returned. */
export async function sealManifest(app: App, exported: Exported): Promise<Manifest> {
  const { organizationId, query } = exported;
  const body = await makeManifestBody(app, exported);
  const signature = app.signer()?.sign(canonicalJson(body));
  const manifest = signature === undefined ? body : { ...body, signature };
  const detail = { export: query.export, manifest: digestOfManifest(manifest) };
  const about = { organizationId, subject: body.export_id, detail };
  await app.store.trail.note({ ...about, action: "export.manifest" }, actOf(app));
  return manifest;
}

/** SHA-256 of its canonical JSON, in hex. */
export function digestOfManifest(manifest: Manifest): string {
  return hash("sha256", canonicalJson(manifest));
}

export function compareFile(
  expected: ManifestFile,
  found: { readonly rows: number | undefined; readonly bytes: number; readonly sha256: string },
): string | undefined {
  const what = expected.name ?? "The file";
  if (found.sha256 === expected.sha256 && found.bytes === expected.bytes) {
    return found.rows === undefined || found.rows === expected.rows
      ? undefined
      : `${what} has ${formatCount(found.rows, "row")}, and the manifest says ${expected.rows}.`;
  }
  if (found.bytes < expected.bytes) {
    return (
      `${what} has ${found.bytes} bytes of the ${expected.bytes} that its manifest names: it was cut, or the manifest is ` +
      "of another file."
    );
  }
  return `${what} is not what the manifest describes: it was changed, or the manifest is of another file.`;
}

/** NDJSON. */
export function linesOf<Item>(page: readonly Item[], view: (item: Item) => object): string {
  return page.map((item) => `${JSON.stringify(view(item))}\n`).join("");
}

/** A store that is behind its ledger accepts no entry in its trail; then there is no manifest. */
export async function* sealedLines<Item>(
  app: App,
  pages: AsyncIterable<readonly Item[]>,
  { view, ...exported }: Omit<Exported, "files"> & { readonly view: (item: Item) => object },
): AsyncGenerator<string> {
  const measure = new Measure();
  for await (const page of pages) {
    const text = linesOf(page, view);
    measure.rows += page.length;
    measure.add(text);
    yield text;
  }
  if (await wasRolledBack(app)) return;
  yield lineOfManifest(await sealManifest(app, { ...exported, files: [measure.end()] }));
}
