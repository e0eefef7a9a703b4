// What the conformance suite requires of an engine: a fresh store, opened as often as a test likes.
// Names no engine.

import { after, before, type TestContext } from "node:test";
import type { StoreOptions } from "../../src/store/interface/store.ts";
import type { TestStore } from "../support/test-store.ts";
import { acme, operator, organization } from "./scene.ts";

export interface Engine {
  /** The prefix of every title. */
  readonly name: string;
  /** Creates an empty store and opens it. */
  open(options?: Partial<StoreOptions>): Promise<Site>;
}

/** One place where data is stored. */
export interface Site {
  readonly store: TestStore;
  /** Opens the same data once more, in addition to what is already open. */
  openAnother(options?: Partial<StoreOptions>): Promise<TestStore>;
  /** Closes everything and opens the same data again. */
  reopen(): Promise<TestStore>;
  /** Closes everything that was opened here and removes the data. */
  remove(): Promise<void>;
}

/** Creates one site for a group of tests. The function returns the site once the tests run. */
export function useSite(engine: Engine, options?: Partial<StoreOptions>): () => Site {
  let site: Site | undefined;
  before(async () => {
    site = await engine.open(options);
  });
  after(() => endSite(site));
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
  test.after(() => endSite(site));
  return site;
}

/** The same, with the organization acme. */
export async function openAcme(...args: Parameters<typeof openSite>): Promise<Site> {
  const site = await openSite(...args);
  await site.store.createOrganization(organization(acme), operator);
  return site;
}

/** Whatever a test did, the store is consistent afterwards, unless the test closed it. */
async function endSite(site: Site | undefined): Promise<void> {
  const isOpen = await site?.store.ping().then(
    () => true,
    () => false,
  );
  try {
    if (isOpen === true) await site?.store.requireConsistent();
  } finally {
    await site?.remove();
  }
}
