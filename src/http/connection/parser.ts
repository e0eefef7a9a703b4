// Stops Node's parser in the middle of a packet, and resumes it. One packet can contain more than two thousand
// requests, and by default Node creates objects for all of them at once. Uses undocumented parts of Node:
// `parser.onIncoming`, whose result is passed to llhttp, `parser.resume`, `parser.execute` and `parser.finish`. A
// version without them parses the whole packet.

import type { Socket } from "node:net";

interface UpgradeRequest {
  readonly upgrade: boolean;
}

interface Parser {
  /** Called with the request and whether the connection may be kept. */
  onIncoming: (request: UpgradeRequest, shouldKeepAlive: boolean) => unknown;
  resume(): void;
  execute(bytes: Buffer): unknown;
  /** Returns an error if the connection has ended within a request, but never while the parser is stopped. */
  finish(): unknown;
  /** The packet that is being parsed. */
  getCurrentBuffer(): Buffer | undefined;
}

const used = ["onIncoming", "resume", "execute", "finish", "getCurrentBuffer"] as const;

/** HPE_PAUSED of llhttp: as the result for a head, it stops the parser after that head. */
const paused = 21;

/** Undefined if the parser lacks one of these methods, and after the connection is closed. */
function parserOf(socket: Socket): Parser | undefined {
  const { parser } = socket as { readonly parser?: Partial<Parser> | null };
  const isKnown = used.every((name) => typeof parser?.[name] === "function");
  return isKnown ? (parser as Parser) : undefined;
}

export interface ParserStop {
  readonly hasToStop: () => boolean;
  /** The parser had to stop and has not. */
  readonly onRunsOn: () => void;
}

/**
 * Call once for each connection. Calls `hasToStop` after each request head, and stops the parser there if it returns
 * true. The head of an upgrade request is an exception: Node would not report that stop, and the request would lose its
 * body. The parser stops by itself after that body.
 */
export function stopParserIf(socket: Socket, { hasToStop, onRunsOn }: ParserStop): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  const { onIncoming } = parser;
  parser.onIncoming = (request, shouldKeepAlive) => {
    // Read before Node's own function, which resets it if the server declines the upgrade.
    const { upgrade: asksForUpgrade } = request;
    const result = onIncoming(request, shouldKeepAlive);
    if (!hasToStop()) return result;
    if (!asksForUpgrade) return paused;
    onRunsOn();
    return result;
  };
}

/** `HTTPParser.kOnMessageBegin` and `HTTPParser.kOnExecute`: the keys of functions that the parser calls. */
const onMessageBegin = 0;
const onExecute = 5;

export interface PacketEvents {
  /** Receives the end of a packet that Node drops although the next packet continues it. */
  readonly onRest: (bytes: Buffer) => void;
  /**
   * Receives a packet that ends within a head that began in it, and undefined when that head is complete. Node stores
   * nothing of such a head, not even its method.
   */
  readonly onOpenHead: (packet: Buffer | undefined) => void;
}

/**
 * Call once for each connection, after `stopParserIf`. The parser stops after a request that asked for an upgrade, and
 * Node drops what follows it in the packet.
 */
export function watchPackets(socket: Socket, { onRest, onOpenHead }: PacketEvents): void {
  const parser = parserOf(socket) as (Parser & Record<number, unknown>) | undefined;
  const usual = parser?.[onExecute];
  if (parser === undefined || typeof usual !== "function") return;
  let isDeclined = false;
  let head: "none" | "begun" | "open" = "none";
  const begin = (): void => void (head = "begun");
  parser[onMessageBegin] = begin;
  const { onIncoming } = parser;
  parser.onIncoming = (request, shouldKeepAlive) => {
    if (head === "open") onOpenHead(undefined);
    head = "none";
    const { upgrade: asksForUpgrade } = request;
    const result = onIncoming(request, shouldKeepAlive);
    isDeclined = asksForUpgrade && !request.upgrade;
    return result;
  };
  /** An error is reported to the server. */
  const afterPacket = (parsed: unknown, packet: Buffer | undefined): void => {
    if (packet === undefined || typeof parsed !== "number") return;
    if (head === "begun") {
      head = "open";
      onOpenHead(packet);
    }
    if (!isDeclined || parsed === packet.length) return;
    // Behind an upgrade the parser returns no error for bytes that are no request, but any number.
    if (parsed < 0 || parsed > packet.length) {
      socket.destroy();
      return;
    }
    // The parser can't be entered again before it returns.
    process.nextTick(onRest, Buffer.from(packet.subarray(parsed)));
  };
  parser[onExecute] = (parsed: unknown): unknown => {
    // The buffer is copied.
    if (isDeclined || head === "begun") afterPacket(parsed, parser.getCurrentBuffer());
    return Reflect.apply(usual, parser, [parsed]);
  };
  const native = Object.getPrototypeOf(parser) as Parser;
  const executeAndTell = (bytes: Buffer): unknown => {
    const parsed = native.execute.call(parser, bytes);
    afterPacket(parsed, bytes);
    return parsed;
  };
  parser.execute = executeAndTell;
  // Node uses parsers again, and that of a CONNECT before its connection is closed.
  socket.once("close", () => {
    if (parser.execute === executeAndTell) Reflect.deleteProperty(parser, "execute");
    if (parser[onMessageBegin] === begin) parser[onMessageBegin] = undefined;
  });
}

/** `HTTPParser.kOnBody`: the key of the function that the parser calls for each part of a body. */
const onBody = 3;

/**
 * Stops the parser from calling anything for the body. The connection has to be closed, because Node uses parsers
 * again.
 */
export function ignoreBody(socket: Socket): void {
  const parser = parserOf(socket) as Record<number, unknown> | undefined;
  const usual = parser?.[onBody];
  if (parser === undefined || typeof usual !== "function") return;
  parser[onBody] = undefined;
  socket.once("close", () => (parser[onBody] = usual));
}

/**
 * `deferredBytes`: how many bytes after the head will reach the parser as data of the socket. Returns the error of an
 * incomplete request whose client has closed its side: Node has reported the close to a stopped parser, without effect.
 */
export function resumeParser(
  socket: Socket,
  deferredBytes: number,
): NodeJS.ErrnoException | undefined {
  const parser = parserOf(socket);
  if (parser === undefined) return undefined;
  parser.resume();
  if (deferredBytes > 0) return undefined;
  // Otherwise the parser completes a request without a body only at the next byte, which may never arrive.
  parser.execute(nothing);
  const failure = socket.readableEnded ? parser.finish() : undefined;
  return failure instanceof Error ? failure : undefined;
}

/** An empty part of a non-empty buffer: llhttp takes a null pointer for the end of the connection. */
const nothing = Buffer.from(" ").subarray(0, 0);

/** Node reports the stop as a client error. Returns the bytes not yet parsed, or undefined for any other error. */
export function unparsedBytes(error: NodeJS.ErrnoException): Buffer | undefined {
  if (error.code !== "HPE_PAUSED") return undefined;
  const { rawPacket, bytesParsed } = error as { rawPacket?: unknown; bytesParsed?: unknown };
  if (!Buffer.isBuffer(rawPacket) || typeof bytesParsed !== "number") return undefined;
  return rawPacket.subarray(bytesParsed);
}
