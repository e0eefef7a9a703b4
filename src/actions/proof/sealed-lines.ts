// Makes the NDJSON lines of an export; the last line is its signed manifest.

import { lineOfManifest } from "../../domain/export-manifest.ts";
import type { App } from "../app.ts";
import { wasRolledBack } from "../ledger/keep-ledger.ts";
import { type Exported, Measure, sealManifest } from "./manifest.ts";

/**
 * Yields one page of lines at a time. A store that is behind its ledger, as before a replay, accepts no entry in its
 * trail; then there is no manifest.
 */
export async function* sealedLines<Item>(
  app: App,
  pages: AsyncIterable<readonly Item[]>,
  { view, ...exported }: Omit<Exported, "files"> & { readonly view: (item: Item) => object },
): AsyncGenerator<string> {
  const measure = new Measure();
  for await (const page of pages) {
    const text = page.map((item) => `${JSON.stringify(view(item))}\n`).join("");
    measure.rows += page.length;
    measure.add(text);
    yield text;
  }
  if (await wasRolledBack(app)) return;
  yield lineOfManifest(await sealManifest(app, { ...exported, files: [measure.end()] }));
}
