// Reads all replies that arrived on a connection: with a length, chunked, without a body, or until the end.

import { makeReply, type Reply } from "./http-client.ts";

export interface RawReplies {
  readonly replies: readonly Reply[];
  /** Received bytes that are not a complete reply. */
  readonly rest: Buffer;
}

/**
 * `methods` of the requests, in order: a reply to HEAD has no body. Where one is undefined, and
 * beyond them, it is unknown which request a reply answers, and it has no body if none follows.
 */
export function readAllReplies(
  bytes: Buffer,
  methods: readonly (string | undefined)[] = [],
): RawReplies {
  const replies: Reply[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) break;
    const [start = "", ...lines] = rest.toString("latin1", 0, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) /.exec(start)?.[1]);
    if (Number.isNaN(status)) break;
    const headers = Object.fromEntries(lines.map(readHeader));
    const body = rest.subarray(end + 4);
    if (status < 200) {
      rest = body;
      continue;
    }
    const method = methods[replies.length];
    const isNext = body.length === 0 || body.toString("latin1", 0, 9) === "HTTP/1.1 ";
    const isHead = method === "HEAD" || (method === undefined && isNext);
    const isBodiless = status === 204 || status === 304 || isHead;
    const found = isBodiless ? { body: body.subarray(0, 0), length: 0 } : readBody(body, headers);
    if (found === undefined) break;
    replies.push(makeReply(status, headers, found.body));
    rest = body.subarray(found.length);
  }
  return { replies, rest };
}

/** Reads one reply with a length. Throws if the text is not one. */
export function parseReply(text: string): Reply {
  const { replies, rest } = readAllReplies(Buffer.from(text, "latin1"), ["GET"]);
  const [reply, ...others] = replies;
  const isOne = rest.length === 0 && others.length === 0;
  if (reply?.headers["content-length"] !== undefined && isOne) return reply;
  throw new Error(`not one reply with a length: ${text.slice(0, 400)}`);
}

function readHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** Undefined if it is incomplete. */
function readBody(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
): { readonly body: Buffer; readonly length: number } | undefined {
  const { "content-length": length, "transfer-encoding": coding } = headers;
  if (coding === "chunked") return readChunks(bytes);
  if (length === undefined) return { body: bytes, length: bytes.length };
  if (bytes.length < Number(length)) return undefined;
  return { body: bytes.subarray(0, Number(length)), length: Number(length) };
}

function readChunks(bytes: Buffer): { body: Buffer; length: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const from = lineEnd + 2;
    if (Number.isNaN(size) || bytes.length < from + size + 2) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), length: from + 2 };
    chunks.push(bytes.subarray(from, from + size));
    at = from + size + 2;
  }
}
