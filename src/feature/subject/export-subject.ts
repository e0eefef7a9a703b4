// Writes everything that is stored about a person or a company, in bounded memory: a folder with one NDJSON file for
// each type of record, a page for people, and a manifest. It gets its name only when it is complete. Only its owner can
// open it; nothing that exists is replaced.

import { mkdirSync, rmSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { App } from "../../actions/app.ts";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { Measure, sealManifest } from "../../actions/receipt/manifest.ts";
import { fileSink, type Sink } from "../../bulk/export/sink.ts";
import type { BulkProgress } from "../../bulk/progress.ts";
import { restrictedId } from "../../domain/deletion/restricted-set.ts";
import type { ManifestFile } from "../../domain/export-manifest.ts";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import { syncFolder, writeOwnFile } from "../../files/own-file.ts";
import { writeCopy } from "./copy.ts";
import {
  type Count,
  inOrder,
  readDeletionsOf,
  readSubject,
  type SubjectRecord,
  type SubjectRequest,
} from "./read-subject.ts";
import type { Texts } from "./texts.ts";

const pageName = "index.html";
const ending = ".ndjson";

interface ExportTools {
  /** The folder, and its name until it is complete. */
  readonly path: string;
  readonly unfinished: string;
  readonly texts: Texts;
  readonly progress: BulkProgress;
  readonly stopping: AbortSignal;
}

/** The caller has written to the audit trail. Removes what it has written if it fails. Throws OperatorError. */
export async function exportSubject(
  app: App,
  request: SubjectRequest,
  { path, unfinished, texts, progress, stopping }: ExportTools,
): Promise<readonly Count[]> {
  const archive = new Archive(path, unfinished);
  try {
    const { organizationId, resourceType, resourceId, confidential } = request;
    let rows = 0;
    for await (const records of readSubject(app, request)) {
      if (stopping.aborted) throw new OperatorError("stopped", "The export was stopped.");
      for (const record of records) await archive.add(record.resource_type, record);
      if (confidential) await addHolds(app, request, { archive, records });
      rows += records.length;
      progress.show({ rows, share: undefined, note: "" });
    }
    if (rows === 0) {
      throw new OperatorError("no_such_record", "All of it was erased in the meantime.");
    }
    for await (const deletions of readDeletionsOf(app, request)) {
      for (const deletion of deletions) await archive.add("deletion_requests", deletion);
    }
    for await (const text of await writeCopy(app, request, { texts })) {
      await archive.write(pageName, text);
    }
    const query = {
      export: "subject",
      resource_type: resourceType,
      resource_id: resourceId,
      include_confidential: confidential,
    };
    await archive.finish(async (files) =>
      canonicalJson(await sealManifest(app, { organizationId, query, files })),
    );
    return archive.counts;
  } catch (error) {
    await archive.abandon();
    throw error;
  } finally {
    progress.close();
  }
}

async function addHolds(
  { store }: App,
  { organizationId }: SubjectRequest,
  { archive, records }: { archive: Archive; records: readonly SubjectRecord[] },
): Promise<void> {
  const keys = records.map((record) => {
    const { resource_type: resourceType, resource_id: resourceId, restricted_by: by } = record;
    const place = by === undefined ? organizationId : restrictedId(by);
    return { organizationId: place, resourceType, resourceId };
  });
  for (const hold of await store.holds.ofRecords(keys)) {
    await archive.add("holds", {
      hold_id: hold.holdId,
      resource_type: hold.resourceType,
      resource_id: hold.resourceId,
      reason: hold.reason,
      owner: hold.owner ?? null,
      review_on: hold.reviewOn ?? null,
      ends_on: hold.endsOn ?? null,
      placed_at: new Date(hold.placedAt).toISOString(),
      placed_by: hold.placedBy,
    });
  }
}

class Archive {
  readonly #path: string;
  readonly #unfinished: string;
  readonly #files = new Map<string, { readonly sink: Sink; readonly measure: Measure }>();

  constructor(path: string, unfinished: string) {
    this.#path = path;
    this.#unfinished = unfinished;
    try {
      mkdirSync(unfinished, { mode: 0o700 });
    } catch (cause) {
      throw this.#unwritable(cause);
    }
  }

  async add(name: string, value: object): Promise<void> {
    const { measure } = await this.write(`${name}${ending}`, `${JSON.stringify(value)}\n`);
    measure.rows += 1;
  }

  async write(name: string, text: string): Promise<{ readonly measure: Measure }> {
    const path = join(this.#unfinished, name);
    const file = this.#files.get(name) ?? { sink: fileSink(path, path), measure: new Measure() };
    this.#files.set(name, file);
    file.measure.add(text);
    await file.sink.write(text);
    return file;
  }

  get counts(): readonly Count[] {
    const files = Array.from(this.#files, ([name, { measure }]) => [name, measure.rows] as const);
    const listed = files.filter(([name]) => name !== pageName);
    return inOrder(listed.map(([name, rows]) => [name.slice(0, -ending.length), rows] as const));
  }

  /** Everything is on stable storage when it resolves. `seal` makes the manifest. Throws OperatorError. */
  async finish(seal: (files: readonly ManifestFile[]) => Promise<string>): Promise<void> {
    const measured = Array.from(this.#files, ([name, { measure }]) => ({ name, ...measure.end() }));
    const manifest = await seal(measured);
    try {
      for (const { sink } of this.#files.values()) await sink.finish();
      writeOwnFile(join(this.#unfinished, "manifest.json"), manifest);
      syncFolder(this.#unfinished);
      await rename(this.#unfinished, this.#path);
      syncFolder(dirname(this.#path));
    } catch (cause) {
      throw this.#unwritable(cause);
    }
  }

  async abandon(): Promise<void> {
    for (const { sink } of this.#files.values()) await sink.abandon();
    rmSync(this.#unfinished, { recursive: true, force: true });
  }

  #unwritable(cause: unknown): OperatorError {
    const why = `${this.#path} can't be written: ${reasonOf(cause)}.`;
    return new OperatorError("output", why, { cause });
  }
}
