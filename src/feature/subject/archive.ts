// The archive of a person or a company: a folder with one NDJSON file for each type of record, a page for people, and a
// manifest. It gets its name only when it is complete. Only its owner can open it; nothing that exists is replaced.

import { mkdirSync, rmSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { Measure } from "../../actions/proof/manifest.ts";
import type { ManifestFile } from "../../domain/export-manifest.ts";
import { syncFolder, writeOwnFile } from "../../files/own-file.ts";

import { fileSink, type Sink } from "../../bulk/export/sink.ts";

export const pageName = "index.html";

export class SubjectArchive {
  readonly #path: string;
  readonly #unfinished: string;
  readonly #files = new Map<string, { sink: Sink; measure: Measure }>();

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
    let file = this.#files.get(name);
    if (file === undefined) {
      const path = join(this.#unfinished, `${name}.ndjson`);
      this.#files.set(name, (file = { sink: fileSink(path, path), measure: new Measure() }));
    }
    const line = `${JSON.stringify(value)}\n`;
    file.measure.rows += 1;
    file.measure.add(line);
    await file.sink.write(line);
  }

  counts(): readonly (readonly [name: string, lines: number])[] {
    return [...this.#files]
      .map(([name, { measure }]) => [name, measure.rows] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** Everything is on stable storage when it resolves. `seal` makes the manifest. Throws OperatorError. */
  async finish(
    page: string,
    seal: (files: readonly ManifestFile[]) => Promise<string>,
  ): Promise<void> {
    const ended = new Measure();
    ended.add(page);
    const files = [...this.#files].map(([name, { measure }]) => ({
      name: `${name}.ndjson`,
      ...measure.end(),
    }));
    const manifest = await seal([...files, { name: pageName, ...ended.end() }]);
    try {
      for (const { sink } of this.#files.values()) await sink.finish();
      writeOwnFile(join(this.#unfinished, pageName), page);
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
