// Sends downloads of any length, no faster than the browser accepts them. If the person stops a download, reading
// stops.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileHeaders } from "./headers.ts";
import type { Visitor } from "../page.ts";

export interface Download<Item> {
  readonly fileName: string;
  readonly pages: AsyncIterable<readonly Item[]>;
  /** A line of the file. */
  readonly view: (item: Item) => object;
}

/** Sends NDJSON. */
export function sendDownload<Item>(
  visitor: Visitor,
  { fileName, pages, view }: Download<Item>,
): Promise<undefined> {
  return sendFile(visitor, fileName, () => Readable.from(linesOf(pages, view)));
}

/**
 * Sends the reply. The content is opened only when nothing else can fail. A failure in the middle ends the connection,
 * so that the browser reports an incomplete file.
 */
export async function sendFile(
  { context, request, reply }: Visitor,
  fileName: string,
  open: () => Readable,
): Promise<undefined> {
  reply.raw.writeHead(200, { ...fileHeaders(fileName), "x-request-id": request.id });
  reply.hijack();
  try {
    await pipeline(open(), reply.raw);
  } catch (error) {
    context.log.warn({ err: error, request_id: request.id }, "a download was not completed");
  }
  return undefined;
}

async function* linesOf<Item>(
  pages: AsyncIterable<readonly Item[]>,
  view: (item: Item) => object,
): AsyncGenerator<string> {
  for await (const page of pages) {
    yield page.map((item) => `${JSON.stringify(view(item))}\n`).join("");
  }
}
