// A store that keeps a scrub mark, and reports what it scrubs.

import { statSync } from "node:fs";
import { openWriter } from "../../../../src/store/sqlite/connection.ts";
import { performBy } from "../../../../src/store/sqlite/commit/operation.ts";
import { LocalWriter } from "../../../../src/store/sqlite/commit/writer.ts";
import { SharedDescriptor } from "../../../../src/store/sqlite/file/store-file.ts";
import { NumberSet } from "../../../../src/basics/number-set.ts";
import { UnscrubbedPages } from "../../../../src/store/sqlite/erase/unscrubbed-pages.ts";
import type { Tasks } from "../../../../src/store/sqlite/file/file-thread.ts";
import { FileTasks } from "../../../../src/store/sqlite/file/file-tasks.ts";
import { migrate } from "../../../../src/store/sqlite/migration/migrate.ts";
import { makeSqliteStore } from "../../../../src/store/sqlite/sqlite-store.ts";
import { makeTestSeal } from "../../../support/seal.ts";
import { withActs } from "../../../support/test-store.ts";
import { storeParts } from "../../../../src/feature/parts.ts";

export const pageBytes = 4_096;

/** `undefined` for the whole file, otherwise the pages. */
type Scrub = readonly number[] | undefined;

/** `point` is called before and after each request to the writer, and each new mark. */
export async function openRecorded(
  path: string,
  point: () => void = () => undefined,
  pagesAtOnce?: number,
) {
  const scrubs: Scrub[] = [];
  const failing = { scrub: false };
  const scrubOf = (pages: readonly number[]) => {
    return pages.length < statSync(path).size / pageBytes ? pages : undefined;
  };
  async function between<Result>(work: () => Promise<Result>): Promise<Result> {
    point();
    const result = await work();
    point();
    return result;
  }
  class RecordedTasks extends FileTasks {
    override ask<Name extends keyof Tasks>(name: Name, ...args: Parameters<Tasks[Name]>) {
      if (name === "scrub") scrubs.push(scrubOf([...new NumberSet(args[0] as Uint8Array)]));
      if (name === "scrub" && failing.scrub) return Promise.reject(new Error("a failed scrub"));
      const ask = () => super.ask(name, ...args);
      return name === "saveMark" ? between(ask) : ask();
    }
  }
  class WriterWithPoints extends LocalWriter {
    override submit(job: Parameters<LocalWriter["submit"]>[0]): Promise<unknown> {
      return between(() => super.submit(job));
    }
  }
  const descriptor = new SharedDescriptor(path);
  const connection = openWriter(path, { parts: storeParts });
  migrate(connection);
  const writer = new WriterWithPoints(connection, undefined);
  const files = new RecordedTasks(path, descriptor);
  const unscrubbed = new UnscrubbedPages({
    path,
    perform: performBy(writer),
    files,
    kept: true,
    pagesAtOnce,
  });
  await unscrubbed.resume();
  // As a serving process does.
  await performBy(writer)("markServed");
  await files.ask("checkpoint");
  const parts = { reader: connection, writer, descriptor, files, unscrubbed };
  const store = withActs(makeSqliteStore({ ...parts, sealReceipt: makeTestSeal() }));
  return { store, unscrubbed, scrubs, failing };
}
