// Adds the records that an abuse needs, over HTTP and within the rate limit.

import { type Client, makeClient } from "../support/http-client.ts";
import type { AbuseContext } from "./abuse.ts";
import { listOf } from "./records.ts";

const listItems = 1_000;

async function send(
  client: Client,
  { target }: AbuseContext,
  { path, body }: { readonly path: string; readonly body: string },
): Promise<void> {
  for (;;) {
    const { status, text, headers } = await client.send({
      method: "POST",
      path,
      token: target.token,
      body,
    });
    if (status < 300) return;
    if (status !== 429) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
    const seconds = Number(headers["retry-after"] ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}

export async function addAll(
  context: AbuseContext,
  path: string,
  { count, item }: { readonly count: number; readonly item: (index: number) => string },
): Promise<void> {
  const client = makeClient(context.target.address);
  for (let at = 0; at < count; at += listItems) {
    const body = listOf(Math.min(listItems, count - at), (index) => item(at + index));
    await send(client, context, { path, body });
  }
  client.close();
}
