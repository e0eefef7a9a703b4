// Writes the entries of a chain as NDJSON, page by page, no faster than the reader of standard output accepts them.

import type { App } from "../../actions/app.ts";
import { requireOrganization } from "../../actions/find-organization.ts";
import { openSink } from "../../bulk/export/sink.ts";
import { limits } from "../../domain/limits.ts";
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

export interface Entry {
  readonly number: number;
  readonly organizationId: string | undefined;
  /** The printed form. */
  readonly view: object;
}

export interface EntriesOptions {
  readonly organization: string | undefined;
  readonly after: number;
  /** At most `count` entries that follow the given number, in order. */
  readonly list: (after: number, count: number) => Promise<readonly Entry[]>;
}

/** Throws OperatorError if there is no such organization. */
export async function writeEntries(
  app: App,
  out: Output,
  { organization, after, list }: EntriesOptions,
): Promise<undefined> {
  await requireOrganization(app, organization);
  const sink = openSink(out, undefined);
  const count = limits.ledgerEntriesAtOnce;
  for (let last = after; ;) {
    const entries = await list(last, count);
    for (const { organizationId, view } of entries) {
      if (organization !== undefined && organizationId !== organization) continue;
      await sink.write(`${JSON.stringify(view)}\n`);
    }
    last = entries.at(-1)?.number ?? last;
    if (entries.length < count) break;
  }
  await sink.finish();
  return undefined;
}
