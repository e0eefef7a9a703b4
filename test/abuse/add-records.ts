// Adds the records that an abuse needs, over HTTP and within the rate limit.

import { makeClient, sendWithinLimit } from "../support/http-client.ts";
import type { AbuseContext } from "./abuse.ts";
import { listOf } from "./records.ts";

const listItems = 1_000;

export async function addAll(
  { target: { address, token } }: AbuseContext,
  path: string,
  { count, item }: { readonly count: number; readonly item: (index: number) => string },
): Promise<void> {
  const client = makeClient(address);
  for (let at = 0; at < count; at += listItems) {
    const body = listOf(Math.min(listItems, count - at), (index) => item(at + index));
    const { status, text } = await sendWithinLimit(client, { method: "POST", path, token, body });
    if (status >= 300) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
  }
  client.close();
}
