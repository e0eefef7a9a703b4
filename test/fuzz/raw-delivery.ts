// How bytes are delivered to the server: at once, in chunks, cut off, reset at any moment, or
// without reading the replies.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../support/random.ts";

export interface Delivered {
  readonly bytes: Buffer;
  /**
   * Whether everything was sent and the client read until the server closed, so that all replies
   * have to be complete.
   */
  readonly isWhole: boolean;
  /** The server left the connection open for too long. */
  readonly isStuck: boolean;
}

const stuckAfterMs = 30_000;
const piecesMax = 8;

type Way = "whole" | "pieces" | "cut" | "reset" | "unread";

const ways: readonly (readonly [weight: number, way: Way])[] = [
  [60, "whole"],
  [14, "pieces"],
  [8, "cut"],
  [14, "reset"],
  [4, "unread"],
];

function pickWay(random: Random): Way {
  let left = random.next() * ways.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, way] of ways) if ((left -= weight) < 0) return way;
  return "whole";
}

/** Never rejects: the server may end a connection with an error. */
export async function deliver(port: number, bytes: Buffer, random: Random): Promise<Delivered> {
  const way = pickWay(random);
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  const chunks: Buffer[] = [];
  let wasReset = false;
  let isStuck = false;
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => (wasReset = true));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const timer = setTimeout(() => {
    isStuck = true;
    socket.destroy();
  }, stuckAfterMs);
  const cut = way === "cut" || way === "reset" ? random.integer(0, bytes.length) : bytes.length;
  if (way === "unread") socket.pause();
  for (const piece of piecesOf(bytes.subarray(0, cut), way, random)) {
    socket.write(piece);
    if (way !== "whole") await sleep(random.integer(0, 2));
  }
  if (way === "reset" || way === "unread") {
    await sleep(random.integer(0, 6));
    socket.resetAndDestroy();
  } else socket.end();
  await closed;
  clearTimeout(timer);
  const isWhole = (way === "whole" || way === "pieces") && !wasReset && !isStuck;
  return { bytes: Buffer.concat(chunks), isWhole, isStuck };
}

function piecesOf(bytes: Buffer, way: Way, random: Random): readonly Buffer[] {
  if (way === "whole" || way === "unread") return [bytes];
  const count = random.integer(1, piecesMax);
  const ends = Array.from({ length: count - 1 }, () => random.integer(0, bytes.length));
  const sorted = [0, ...ends, bytes.length].toSorted((one, other) => one - other);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}
