// The archive of a person or a company: a folder with one NDJSON file for each type of record, a page for people, and a
// manifest. It gets its name only when it is complete. Only its owner can open it; nothing that exists is replaced.

import { createWriteStream, mkdirSync, rmSync, type WriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { finished } from "node:stream/promises";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { Measure } from "../../actions/proof/manifest.ts";
import type { ManifestFile } from "../../domain/export-manifest.ts";
import { newFile, syncFolder, writeOwnFile } from "../../files/own-file.ts";

interface ArchiveFile {
  readonly stream: WriteStream;
  readonly written: Promise<void>;
  readonly measure: Measure;
}

/** The name of the page. */
export const pageName = "index.html";

export class SubjectArchive {
  readonly #path: string;
  readonly #unfinished: string;
  readonly #files = new Map<string, ArchiveFile>();

  /** `unfinished`: the name until it is complete; must not exist. Throws OperatorError. */
  constructor(path: string, unfinished: string) {
    this.#path = path;
    this.#unfinished = unfinished;
    try {
      mkdirSync(unfinished, { mode: 0o700 });
    } catch (cause) {
      throw this.#unwritable(cause);
    }
  }

  /** Adds a line to the file of this name, which is created for the first one. Throws OperatorError. */
  async add(name: string, value: object): Promise<void> {
    const file = this.#fileOf(name);
    const line = `${JSON.stringify(value)}\n`;
    file.measure.rows += 1;
    file.measure.add(line);
    try {
      if (file.stream.write(line)) return;
      await Promise.race([once(file.stream, "drain"), file.written]);
    } catch (cause) {
      throw this.#unwritable(cause);
    }
  }

  /** How many lines each file has, in the order of the names. */
  counts(): readonly (readonly [name: string, lines: number])[] {
    return [...this.#files]
      .map(([name, { measure }]) => [name, measure.rows] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /**
   * Everything is on stable storage when the promise resolves. `seal` makes the text of the manifest. Throws
   * OperatorError.
   */
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
      for (const { stream, written } of this.#files.values()) {
        stream.end();
        await written;
      }
      writeOwnFile(join(this.#unfinished, pageName), page);
      writeOwnFile(join(this.#unfinished, "manifest.json"), manifest);
      syncFolder(this.#unfinished);
      await rename(this.#unfinished, this.#path);
      syncFolder(dirname(this.#path));
    } catch (cause) {
      throw this.#unwritable(cause);
    }
  }

  /** Removes the unfinished folder. */
  async abandon(): Promise<void> {
    for (const { stream, written } of this.#files.values()) {
      stream.destroy();
      await written.catch(() => undefined);
    }
    rmSync(this.#unfinished, { recursive: true, force: true });
  }

  #fileOf(name: string): ArchiveFile {
    let file = this.#files.get(name);
    if (file === undefined) {
      const stream = createWriteStream(join(this.#unfinished, `${name}.ndjson`), {
        ...newFile,
        flush: true,
      });
      const written = finished(stream);
      written.catch(() => undefined);
      this.#files.set(name, (file = { stream, written, measure: new Measure() }));
    }
    return file;
  }

  #unwritable(cause: unknown): OperatorError {
    const why = `${this.#path} can't be written: ${reasonOf(cause)}.`;
    return new OperatorError("output", why, { cause });
  }
}
