// Writes the entries of a chain as NDJSON, page by page, no faster than the reader of standard output accepts them. The
// last line is the manifest.

import type { App } from "../../actions/app.ts";
import { requireOrganization } from "../../actions/access/find-organization.ts";
import { type Exported, linesOf, sealedLines } from "../../actions/receipt/manifest.ts";
import { standardOutput } from "../../bulk/export/sink.ts";
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
  readonly query: Exported["query"];
  readonly organization: string | undefined;
  readonly pages: AsyncIterable<readonly Entry[]>;
  readonly organizationOf: (entry: Entry) => string | undefined;
  readonly view: (entry: Entry) => object;
  /** The pages have no end: each is written at once, and there is no manifest, which could not be signed. */
  readonly endless?: boolean;
}

/** Throws OperatorError if there is no such organization. */
export async function writeEntries<Entry>(
  app: App,
  out: Output,
  { organization, pages, organizationOf, endless = false, ...printed }: EntriesOptions<Entry>,
): Promise<undefined> {
  await requireOrganization(app, organization);
  const own = ownEntries(pages, (entry) => {
    return organization === undefined || organizationOf(entry) === organization;
  });
  if (endless) return writeLines(out, unsealedLines(own, printed.view), endless);
  return writeLines(out, sealedLines(app, own, { ...printed, organizationId: organization }));
}

async function* ownEntries<Entry>(
  pages: AsyncIterable<readonly Entry[]>,
  isOwn: (entry: Entry) => boolean,
): AsyncGenerator<readonly Entry[]> {
  for await (const entries of pages) yield entries.filter(isOwn);
}

async function* unsealedLines<Entry>(
  pages: AsyncIterable<readonly Entry[]>,
  view: (entry: Entry) => object,
): AsyncGenerator<string> {
  for await (const page of pages) yield linesOf(page, view);
}

export async function writeLines(
  out: Output,
  lines: AsyncIterable<string>,
  atOnce = false,
): Promise<undefined> {
  const sink = standardOutput(out);
  for await (const line of lines) {
    await sink.write(line);
    if (atOnce) await sink.finish();
  }
  await sink.finish();
  return undefined;
}
