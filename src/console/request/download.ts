// Sends downloads of any length, no faster than the browser accepts them. If the person stops a download, reading
// stops.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Exported, sealedLines } from "../../actions/receipt/manifest.ts";
import { fileHeaders } from "./headers.ts";
import type { Person, Visitor } from "../page.ts";

export interface Download<Item> extends Omit<Exported, "files" | "exportId"> {
  readonly fileName: string;
  readonly pages: AsyncIterable<readonly Item[]>;
  readonly view: (item: Item) => object;
}

export function sendDownload<Item>(
  person: Person,
  { fileName, pages, ...exported }: Download<Item>,
): Promise<undefined> {
  return sendFile(person, fileName, () => Readable.from(sealedLines(person.app, pages, exported)));
}

/**
 * Sends the reply. The content is opened only when nothing else can fail. A failure after that ends the connection, so
 * that the browser reports an incomplete file.
 */
export function sendFile(
  visitor: Visitor,
  fileName: string,
  open: () => Readable,
): Promise<undefined> {
  return sendStream(visitor, fileHeaders(fileName), open);
}

/** The same for what the browser shows. */
export async function sendStream(
  { context, request, reply }: Visitor,
  headers: Readonly<Record<string, string>>,
  open: () => Readable,
): Promise<undefined> {
  reply.raw.writeHead(200, { ...headers, "x-request-id": request.id });
  reply.hijack();
  try {
    await pipeline(open(), reply.raw);
  } catch (error) {
    context.log.warn({ err: error, request_id: request.id }, "a download was not completed");
  }
  return undefined;
}
