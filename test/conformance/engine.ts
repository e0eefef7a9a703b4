// What the conformance suite asks of an engine: a fresh store, opened as often as a test likes. Names no engine.

import { after, before, type TestContext } from "node:test";
import type { Store, StoreOptions } from "../../src/store/store.ts";

export interface Engine {
  /** Said in front of every title. */
  readonly name: string;
  /** Makes an empty store and opens it. */
  open(options?: Partial<StoreOptions>): Promise<Site>;
}

/** One place where data is kept. */
export interface Site {
  readonly store: Store;
  /** Opens the same data once more, beside what is open already. */
  openAnother(options?: Partial<StoreOptions>): Promise<Store>;
  /** Closes what is open and opens the same data afresh. */
  reopen(): Promise<Store>;
  /** Closes everything that was opened here and removes the data. */
  remove(): Promise<void>;
}

/** For a group of tests: one site for all of them. Gives the site once the tests run. */
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

/** For one test: a site of its own. */
export async function openSite(
  engine: Engine,
  test: TestContext,
  options?: Partial<StoreOptions>,
): Promise<Site> {
  const site = await engine.open(options);
  test.after(() => site.remove());
  return site;
}
