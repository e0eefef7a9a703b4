// The bounds that all connections of a serving process share, with counts of refusals.

import { readFileSync } from "node:fs";
import { limits } from "../../domain/limits.ts";
import { ConnectionTurns } from "./connection-turns.ts";
import { LargeReplies } from "./large-replies.ts";
import { LingeringClose } from "./lingering-close.ts";
import { OpenConnections, proxyCheck } from "./open-connections.ts";
import { ReplyMemory } from "./reply-memory.ts";
import { SharedTurns } from "./shared-turns.ts";

export interface SharedBounds {
  readonly connectionsMax: number;
  readonly connections: OpenConnections;
  readonly admission: ConnectionTurns;
  readonly turns: SharedTurns;
  readonly replies: ReplyMemory;
  readonly largeReplies: LargeReplies;
}

export type BoundsOptions = Partial<
  Pick<
    Record<keyof typeof limits, number>,
    "connectionsMax" | "connectionsPerAddressMax" | "unparsedBytesMax" | "queuedReplyBytesMax"
  >
>;

export function makeSharedBounds(
  { trustProxy }: { readonly trustProxy: false | string },
  bounds: BoundsOptions = {},
): SharedBounds {
  const {
    connectionsMax = affordableConnections(),
    connectionsPerAddressMax = limits.connectionsPerAddressMax,
    unparsedBytesMax = limits.unparsedBytesMax,
    queuedReplyBytesMax = limits.queuedReplyBytesMax,
  } = bounds;
  return {
    connectionsMax,
    connections: new OpenConnections({
      connectionsMax,
      connectionsPerAddressMax,
      isProxy: proxyCheck(trustProxy),
    }),
    admission: new ConnectionTurns({ isBehindArrivals: true }),
    turns: new SharedTurns(unparsedBytesMax, new LingeringClose()),
    replies: new ReplyMemory(queuedReplyBytesMax),
    largeReplies: new LargeReplies(),
  };
}

const otherFilesMax = 256;

/** Each connection is an open file, so the bound is lower where the system allows fewer open files. */
function affordableConnections(): number {
  const openFilesMax = readOpenFilesMax();
  if (openFilesMax === undefined) return limits.connectionsMax;
  return Math.max(16, Math.min(limits.connectionsMax, openFilesMax - otherFilesMax));
}

function readOpenFilesMax(): number | undefined {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return found?.[1] === undefined ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
