// What the conformance suite requires of an engine: a fresh store, opened as often as a test likes.
// Names no engine.

import { after, before, type TestContext } from "node:test";
import type { Store, StoreOptions } from "../../src/store/interface/store.ts";

export interface Engine {
  /** The prefix of every title. */
  readonly name: string;
  /** Creates an empty store and opens it. */
  open(options?: Partial<StoreOptions>): Promise<Site>;
}

/** One place where data is stored. */
export interface Site {
  readonly store: Store;
  /** Opens the same data once more, in addition to what is already open. */
  openAnother(options?: Partial<StoreOptions>): Promise<Store>;
  /** Closes everything and opens the same data again. */
  reopen(): Promise<Store>;
  /** Closes everything that was opened here and removes the data. */
  remove(): Promise<void>;
}

/** Creates one site for a group of tests. The function returns the site once the tests run. */
export function useSite(engine: Engine, options?: Partial<StoreOptions>): () => Site {
  let site: Site | undefined;
  before(async () => {
    site = await engine.open(options);
  });
  after(() => site?.remove());
  return () => {
    if (site === undefined) throw new Error("the site is there when the tests run, not before");
    return site;
  };
}

/** Creates a site for one test. */
export async function openSite(
  engine: Engine,
  test: TestContext,
  options?: Partial<StoreOptions>,
): Promise<Site> {
  const site = await engine.open(options);
  test.after(() => site.remove());
  return site;
}
