// A folder with an SQLite store in it, for tests that read the files or the tables directly.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import type { StoreOptions } from "../../../src/store/interface/store.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { atEnd } from "../../support/at-end.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

export interface Place {
  readonly folder: string;
  readonly path: string;
  /** Closed when the test is done, unless it was closed before. */
  open(options?: Partial<StoreOptions>): Promise<TestStore>;
  /** Reads the tables, or alters them, on a separate connection. */
  withDatabase<Result>(work: (database: DatabaseSync) => Result): Result;
  withReader(work: (database: DatabaseSync) => Promise<void>): Promise<void>;
  /** All bytes of all files, by file name. */
  readFiles(): ReadonlyMap<string, Buffer>;
}

export function makePlace(test: TestContext): Place {
  const folder = makeTempFolder();
  const path = join(folder, "data", "sluice.db");
  return {
    folder,
    path,
    async open(options) {
      const store = await openTestStore(`sqlite:${path}`, { role: "serve", ...options });
      atEnd(test, () => store.close());
      return store;
    },
    withDatabase(work) {
      const database = new DatabaseSync(path, { defensive: false });
      try {
        return work(database);
      } finally {
        database.close();
      }
    },
    async withReader(work) {
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        await work(database);
      } finally {
        database.close();
      }
    },
    readFiles() {
      const names = readdirSync(join(folder, "data"));
      return new Map(names.map((name) => [name, readFileSync(join(folder, "data", name))]));
    },
  };
}

/** The steps by which the file answers those statements that match, of all that are prepared from now on. */
export function watchPlans(
  test: TestContext,
  place: Place,
): (matching: RegExp) => readonly string[] {
  const { mock } = test.mock.method(DatabaseSync.prototype, "prepare");
  return (matching) => {
    const texts = mock.calls.map((call) => call.arguments[0]).filter((text) => matching.test(text));
    return place.withDatabase((file) =>
      texts
        .flatMap((text) => file.prepare(`EXPLAIN QUERY PLAN ${text}`).all())
        .map(({ detail }) => String(detail)),
    );
  };
}
