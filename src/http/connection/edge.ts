// What all connections hold together: how many are open, what waits on them, and what was refused for it. One for each
// serving process.

import { readFileSync } from "node:fs";
import { limits } from "../../domain/limits.ts";
import { LingeringClose } from "./lingering-close.ts";
import { OpenConnections, proxyCheck } from "./open-connections.ts";
import { Pipelines } from "./pipeline.ts";
import { ReplyMemory } from "./reply-memory.ts";

export interface Edge {
  readonly connectionsMax: number;
  readonly connections: OpenConnections;
  readonly pipelines: Pipelines;
  readonly lingering: LingeringClose;
  readonly replies: ReplyMemory;
}

/** Bounds that differ from those of `limits.ts`. */
export interface EdgeBounds {
  readonly connectionsMax?: number;
  readonly connectionsPerAddressMax?: number;
  readonly unparsedBytesMax?: number;
  readonly queuedReplyBytesMax?: number;
}

export function makeEdge(
  { trustProxy }: { readonly trustProxy: false | string },
  bounds: EdgeBounds = {},
): Edge {
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
    pipelines: new Pipelines(unparsedBytesMax),
    lingering: new LingeringClose(),
    replies: new ReplyMemory(queuedReplyBytesMax),
  };
}

/** What the store, its log files and connections to other servers need of the files that a process may have open. */
const otherFilesMax = 256;

/** Each connection is an open file; where the system allows fewer, the bound is lower. */
function affordableConnections(): number {
  const openFilesMax = readOpenFilesMax();
  if (openFilesMax === undefined) return limits.connectionsMax;
  return Math.max(16, Math.min(limits.connectionsMax, openFilesMax - otherFilesMax));
}

/** On Linux; undefined elsewhere, and where there is no bound. */
function readOpenFilesMax(): number | undefined {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return found?.[1] === undefined ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
