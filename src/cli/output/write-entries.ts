// Writes the entries of a chain as NDJSON, page by page, no faster than the reader of standard output accepts them.

import type { App } from "../../actions/app.ts";
import { requireOrganization } from "../../actions/access/find-organization.ts";
import { openSink } from "../../bulk/export/sink.ts";
import { optional, type Output, withDefault } from "../command.ts";
import { text, wholeNumber } from "../input/kinds.ts";

export const entryOptions = {
  organization: optional(
    text("ID"),
    "Only the entries of this organization, which do not form a chain.",
  ),
  after: withDefault(
    wholeNumber("N", 0, Number.MAX_SAFE_INTEGER),
    "Begin after the entry with this number.",
    "0",
  ),
};

interface EntriesOptions<Entry> {
  readonly organization: string | undefined;
  /** In order. */
  readonly pages: AsyncIterable<readonly Entry[]>;
  readonly organizationOf: (entry: Entry) => string | undefined;
  /** The printed form. */
  readonly view: (entry: Entry) => object;
}

/** Throws OperatorError if there is no such organization. */
export async function writeEntries<Entry>(
  app: App,
  out: Output,
  { organization, pages, organizationOf, view }: EntriesOptions<Entry>,
): Promise<undefined> {
  await requireOrganization(app, organization);
  const sink = openSink(out, undefined);
  for await (const entries of pages) {
    for (const entry of entries) {
      if (organization !== undefined && organizationOf(entry) !== organization) continue;
      await sink.write(`${JSON.stringify(view(entry))}\n`);
    }
  }
  await sink.finish();
  return undefined;
}
