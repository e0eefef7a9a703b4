// Turns cases of the fuzzer into bytes for a socket, framed and encoded in many ways, and corrupts
// some of them.

import { type Ask, bodyBytes } from "../support/http-client.ts";
import type { Random } from "../support/random.ts";
import { encoders, mutateBytes, mutateText } from "./mutate.ts";

export interface RawMessage {
  readonly bytes: Buffer;
  /** The operation, if the head was not changed. */
  readonly ask: Ask | undefined;
  /** Whether its end is unambiguous, so that the next reply belongs to the next message. */
  readonly isFramed: boolean;
}

interface Parts {
  readonly start: string;
  readonly lines: string[];
  readonly body: Buffer;
  isFramed: boolean;
  isOurs: boolean;
}

/** `corrupt`: the probability that bytes, headers, framing or encoding are wrong. */
export function rawMessage(ask: Ask, random: Random, corrupt: number): RawMessage {
  const body = encode(bodyBytes(ask.body), { random, corrupt });
  const parts: Parts = {
    start: `${ask.method} ${ask.path}${queryOf(ask)} HTTP/1.1`,
    lines: headerLines(ask, body.encoding),
    body: body.bytes,
    isFramed: true,
    isOurs: true,
  };
  const framed = frame(parts, { random, corrupt });
  if (random.chance(corrupt)) corruptHead(parts, random);
  const lineEnd = random.chance(corrupt / 10)
    ? random.pick(["\n", "\r", "\r\n ", "\r\r\n"])
    : "\r\n";
  if (lineEnd !== "\r\n") parts.isFramed = parts.isOurs = false;
  const head = `${[parts.start, ...parts.lines].join(lineEnd)}${lineEnd}${lineEnd}`;
  const bytes = Buffer.concat([Buffer.from(head, "latin1"), framed]);
  if (random.chance(corrupt / 2)) {
    mutateBytes(random, bytes);
    parts.isFramed = parts.isOurs = false;
  }
  return { bytes, ask: parts.isOurs ? ask : undefined, isFramed: parts.isFramed };
}

function queryOf({ query }: Ask): string {
  return query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
}

function headerLines({ token, headers = {}, body }: Ask, encoding: string | undefined): string[] {
  const all = {
    host: "x",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
  };
  const framing = new Set(["content-length", "transfer-encoding"]);
  return Object.entries(all).flatMap(([name, value]) => {
    if (value === undefined || framing.has(name)) return [];
    return (typeof value === "string" ? [value] : value).map((one) => `${name}: ${one}`);
  });
}

interface Corruption {
  readonly random: Random;
  readonly corrupt: number;
}

/** Sometimes in one of the encodings, in several members, cut off, or with wrong bytes. */
function encode(
  body: Buffer | undefined,
  { random, corrupt }: Corruption,
): { bytes: Buffer; encoding?: string | undefined } {
  if (body === undefined) return { bytes: Buffer.alloc(0) };
  if (!random.chance(corrupt / 2)) return { bytes: body };
  const text = random.chance(0.5) ? Buffer.from(mutateText(random, body.toString("utf8"))) : body;
  const encoding = random.pick(["gzip", "br", "zstd"] as const);
  const middle = random.integer(0, text.length);
  const members = random.chance(0.3) ? [text.subarray(0, middle), text.subarray(middle)] : [text];
  let bytes = Buffer.concat(members.map((member) => encoders[encoding](member)));
  if (random.chance(0.2)) bytes = encoders.gzip(bytes);
  if (random.chance(0.3)) bytes = bytes.subarray(0, random.integer(0, bytes.length));
  if (random.chance(0.3)) mutateBytes(random, bytes);
  if (random.chance(0.2)) bytes = Buffer.concat([bytes, Buffer.from("behind the end")]);
  return {
    bytes,
    encoding: random.chance(0.9) ? encoding : random.pick(["GZIP", "x-gzip", "gzip,br"]),
  };
}

/** Adds the headers that delimit the body; returns the body as it is sent. */
function frame(parts: Parts, { random, corrupt }: Corruption): Buffer {
  const { body, lines } = parts;
  if (random.chance(corrupt / 3)) return corruptedFrame(parts, random);
  if (body.length > 0 && random.chance(0.3)) {
    lines.push("transfer-encoding: chunked");
    return chunked(body, random);
  }
  if (body.length > 0 || random.chance(0.2)) lines.push(`content-length: ${body.length}`);
  return body;
}

const wrongFraming: readonly ((length: number) => readonly string[])[] = [
  (length) => [`content-length: ${length + 1}`],
  (length) => [`content-length: ${Math.max(0, length - 1)}`],
  (length) => [`content-length: ${length}`, `content-length: ${length}`],
  (length) => [`content-length: ${length}`, "content-length: 0"],
  (length) => [`content-length: ${length}, ${length}`],
  (length) => [`content-length: +${length}`],
  (length) => [`content-length: 0x${length.toString(16)}`],
  (length) => [`content-length: ${"0".repeat(40)}${length}`],
  () => ["content-length: 99999999999999999999"],
  () => ["content-length: -1"],
  (length) => [`content-length: ${length}`, "transfer-encoding: chunked"],
  () => ["transfer-encoding: chunked"],
  () => ["transfer-encoding: gzip, chunked"],
  () => ["transfer-encoding: chunked, identity"],
  () => ["transfer-encoding: \u000bchunked"],
  () => ["transfer-encoding : chunked"],
  () => ["Transfer-Encoding: CHUNKED", "transfer-encoding: chunked"],
  () => ["expect: 100-continue", "content-length: 5"],
  () => [],
];

function corruptedFrame(parts: Parts, random: Random): Buffer {
  parts.isFramed = parts.isOurs = false;
  parts.lines.push(...random.pick(wrongFraming)(parts.body.length));
  if (random.chance(0.5)) return parts.body;
  const bytes = chunked(parts.body, random);
  if (random.chance(0.5)) mutateBytes(random, bytes);
  return random.chance(0.3) ? bytes.subarray(0, random.integer(0, bytes.length)) : bytes;
}

/** In chunks of any length, some with an extension, and sometimes with a trailer. */
function chunked(body: Buffer, random: Random): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const length = random.integer(1, random.pick([3, 100, 10_000]));
    const piece = body.subarray(at, at + length);
    const extension = random.chance(0.05) ? `;a="${"b".repeat(random.integer(0, 50))}"` : "";
    const size = random.chance(0.5)
      ? piece.length.toString(16)
      : piece.length.toString(16).toUpperCase();
    pieces.push(Buffer.from(`${size}${extension}\r\n`), piece, Buffer.from("\r\n"));
    at += length;
  }
  const trailer = random.chance(0.05) ? "x-trailer: a\r\n" : "";
  return Buffer.concat([...pieces, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

const unusualLines: readonly string[] = [
  "host: y",
  "authorization: Bearer x",
  "connection: close",
  "connection: keep-alive, x",
  "connection: upgrade",
  "upgrade: websocket",
  "upgrade: h2c",
  "expect: 100-continue",
  "expect: 200-ok",
  "trailer: host",
  ": no name",
  "no colon",
  " folded",
  "x: \u0000",
  "x:\u007f",
  "x y: z",
  "__proto__: x",
  `long: ${"v".repeat(17_000)}`,
  "x-forwarded-for: ::1",
  "accept: application/problem+json",
];

/** Inserts, removes or duplicates a line, changes the order, or corrupts the first line. */
function corruptHead(parts: Parts, random: Random): void {
  parts.isFramed = parts.isOurs = false;
  const { lines } = parts;
  const at = random.integer(0, Math.max(0, lines.length - 1));
  const [line = ""] = lines.slice(at, at + 1);
  switch (random.integer(0, 5)) {
    case 0:
      lines.splice(at, 1);
      break;
    case 1:
      lines.splice(at, 0, line);
      break;
    case 2:
      lines.splice(at, 1, line.toUpperCase());
      break;
    case 3:
      lines.reverse();
      break;
    default:
      lines.splice(at, 0, random.pick(unusualLines));
  }
}
