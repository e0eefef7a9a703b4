// Stops Node's parser in the middle of a packet, and lets it go on. One packet may hold more than two thousand requests,
// and by itself Node makes objects of all of them at once. Uses what Node does not document: `parser.onIncoming`, whose
// result llhttp gets, `parser.resume` and `parser.execute`. A version of Node that lacks them reads a packet to its end.

import type { Socket } from "node:net";

interface Parser {
  onIncoming: (...sent: readonly unknown[]) => unknown;
  resume(): void;
  execute(bytes: Buffer): unknown;
}

const used = ["onIncoming", "resume", "execute"] as const;

/** HPE_PAUSED of llhttp: as the result for a head, it ends the run of the parser behind that head. */
const paused = 21;

/** Undefined where it is not as this file knows it, and when the connection is closed. */
function parserOf(socket: Socket): Parser | undefined {
  const { parser } = socket as { readonly parser?: Partial<Parser> | null };
  const isKnown = used.every((name) => typeof parser?.[name] === "function");
  return isKnown ? (parser as Parser) : undefined;
}

/**
 * To be called once for each connection. Asks after each head of a request if the parser has to stop behind it. Not for a
 * head that asks for an upgrade: Node would not report that stop, and the request would lose its body. The parser stops
 * by itself behind that body.
 */
export function stopParserIf(socket: Socket, hasToStop: () => boolean): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  const { onIncoming } = parser;
  parser.onIncoming = (...sent) => {
    // Node takes it back where the upgrade is not wanted.
    const [{ upgrade: asksForUpgrade }] = sent as readonly [{ readonly upgrade: boolean }];
    const result = onIncoming(...sent);
    return !asksForUpgrade && hasToStop() ? paused : result;
  };
}

/** `bytesKept`: of those behind the head that are about to reach the parser as data of the socket. */
export function resumeParser(socket: Socket, bytesKept: number): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  parser.resume();
  // It would find out that a request without a body is complete only with the next byte, which may never come.
  if (bytesKept === 0) parser.execute(nothing);
}

/** Part of a buffer that is not empty: without a place in memory, llhttp would take it for the end of the connection. */
const nothing = Buffer.from(" ").subarray(0, 0);

/** Node reports the stop as a client error. Gives what the parser has not read, or undefined for any other error. */
export function unparsedBytes(error: NodeJS.ErrnoException): Buffer | undefined {
  if (error.code !== "HPE_PAUSED") return undefined;
  const { rawPacket, bytesParsed } = error as { rawPacket?: unknown; bytesParsed?: unknown };
  if (!Buffer.isBuffer(rawPacket) || typeof bytesParsed !== "number") return undefined;
  return rawPacket.subarray(bytesParsed);
}
