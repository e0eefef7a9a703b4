// Replies that are the same for every client: compressed once, with a strong ETag, from bytes that all share.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { FastifyRequest } from "fastify";
import type { Answer } from "./reply.ts";

const encodings = ["gzip", "identity"] as const;
type Encoding = (typeof encodings)[number];

export type Encoded = Readonly<Record<Encoding, Buffer>>;

export interface Representation {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoded: Encoded;
  readonly etags: Readonly<Record<Encoding, string>>;
}

/** Compresses in the thread pool, so the event loop is not blocked. */
export async function encode(identity: Buffer): Promise<Encoded> {
  const level = constants.Z_BEST_COMPRESSION;
  return { gzip: await promisify(gzip)(identity, { level }), identity };
}

export function makeRepresentation(
  contentType: string,
  encoded: Encoded,
  headers: Readonly<Record<string, string>> = {},
): Representation {
  const digest = createHash("sha256").update(encoded.identity).digest("base64url").slice(0, 22);
  const etags = { gzip: `"${digest}-gzip"`, identity: `"${digest}"` };
  return { contentType, headers: { ...headers, vary: "accept-encoding" }, encoded, etags };
}

export async function representText(
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>>,
): Promise<Representation> {
  return makeRepresentation(contentType, await encode(Buffer.from(text)), headers);
}

export function representationAnswer(
  { headers: sent }: FastifyRequest,
  { contentType, headers, encoded, etags }: Representation,
): Answer {
  const encoding = chooseEncoding(sent["accept-encoding"]);
  const etag = etags[encoding];
  const always = { ...headers, etag };
  if (isNamed(etag, sent["if-none-match"])) {
    return { status: 304, body: undefined, headers: always };
  }
  return {
    status: 200,
    body: encoded[encoding],
    shared: true,
    contentType,
    headers: encoding === "identity" ? always : { ...always, "content-encoding": encoding },
  };
}

/** The encoding that the client prefers; if it prefers several, the smallest; identity if it accepts none of them. */
export function chooseEncoding(accepted: string | undefined): Encoding {
  if (accepted === undefined) return "identity";
  const qualities = readQualities(accepted);
  const others = qualities.get("*");
  const qualityOf = (name: Encoding): number =>
    qualities.get(name) ?? others ?? (name === "identity" ? 0.001 : 0);
  const [best = "identity"] = encodings
    .filter((name) => qualityOf(name) > 0)
    .toSorted((one, other) => qualityOf(other) - qualityOf(one));
  return best;
}

/** What a header lists, in lower case, with the quality of each (RFC 9110, section 12.4.2). */
export function readQualities(header: string): ReadonlyMap<string, number> {
  const listed = header.split(",").map((text): [name: string, quality: number] => {
    const [name = "", ...parameters] = text.split(";");
    const quality = parameters.map((part) => /^\s*q\s*=\s*([\d.]{1,6})\s*$/i.exec(part)?.[1]);
    const given = Number(quality.find((value) => value !== undefined) ?? 1);
    const plain = name.trim().toLowerCase();
    return [plain === "x-gzip" ? "gzip" : plain, Number.isNaN(given) ? 0 : given];
  });
  return new Map(listed);
}

export function isNamed(etag: string, sent: string | undefined): boolean {
  if (sent === undefined) return false;
  if (sent.trim() === "*") return true;
  return sent.split(",").some((part) => part.trim().replace(/^W\//, "") === etag);
}
