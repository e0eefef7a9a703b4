// Readers of the feed of changes: as many pages with content at once as connections allow.

import type { Abuse } from "../abuse.ts";
import { addAll } from "../add-records.ts";
import { transaction } from "../records.ts";
import { flood, requestBytes } from "../sending.ts";

const pages: Abuse = {
  name: "feed-pages",
  what: "pages of the feed with content on 2,000 connections of one token",
  prepare: async (context) => {
    await addAll(context, "/v2/transactions/batch", {
      count: context.amount(20_000, 1_000),
      item: (index) => withText(transaction(`feed-${index}`)),
    });
    const { token } = context.target;
    const request = requestBytes("GET", "/v2/changes?include=content", { token });
    const connections = context.amount(2_000, 64);
    return { run: () => flood(context, { connections, addresses: 8 }, () => request) };
  },
};

/** A thousand of these are about as long as a page can be. */
function withText(record: string): string {
  const property = { key: "note", value: "x".repeat(400), type: "STRING" };
  return `${record.slice(0, -1)},"additional_properties":[${JSON.stringify(property)}]}`;
}

export const feed: readonly Abuse[] = [pages];
