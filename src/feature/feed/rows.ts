// What the feed adds to the tables of the core: its bounds.

import type { AddedRows } from "../feature.ts";
import { limits } from "../../domain/limits.ts";

/** Live requests are long polls and streams. */
export const feedLimits = {
  replyEventsMax: 1_000,
  /** The most that a stream sends at a time, because its reader may be slow. */
  partBytesMax: 64 * 1_024,
  /** How many of these parts the reply to a long poll has. */
  pollPartsMax: 4,
  keyReadersMax: 32,
  organizationReadersMax: 64,
  readersMax: 512,
  longPollMs: 20_000,
  streamMs: 50_000,
  /** Proxies end a reply that is silent for longer; many after 30 or 60 seconds. */
  heartbeatMs: 15_000,
} as const;

export const rows: Partial<AddedRows> = {
  limits: [
    ["Events of a page of changes", feedLimits.replyEventsMax, "the next page"],
    ["Bytes of a page of changes, plus its last event", limits.pageBytesMax, "the next page"],
    ["The same of a part of a live stream", feedLimits.partBytesMax, "the next part"],
    ["Live requests of one key for changes", feedLimits.keyReadersMax, "429"],
    ["Live requests of one organization for changes", feedLimits.organizationReadersMax, "429"],
    ["Live requests of all organizations for changes", feedLimits.readersMax, "503"],
    ["Milliseconds for which a long poll waits", feedLimits.longPollMs, "204"],
    ["Milliseconds of a live stream of changes", feedLimits.streamMs, "it ends"],
    ["Milliseconds between comment lines in it", feedLimits.heartbeatMs, "no bound"],
  ],
};
