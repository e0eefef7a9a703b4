// What a campaign prints about an abuse: a line with the figures of the good client, of the abuser
// and of the memory.

import { requestKinds } from "./good-client.ts";
import type { AbuseRow } from "./run-abuse.ts";

/** The good client's p99 may grow by this much under an abuse. */
const ratioMax = 5;
/** Or exceed by this much what it is under the same abuse at a server that only replies. */
const floorRatioMax = 2;

export function ratioOf({ idle, under }: AbuseRow): number {
  return under.all.p99Ms / idle.all.p99Ms;
}

/** NaN for an abuse without a floor. */
function floorRatioOf({ under, floor }: AbuseRow): number {
  return under.all.p99Ms / (floor?.all.p99Ms ?? Number.NaN);
}

/** What the acceptance requires and this run did not reach; depends on the machine and its load. */
export function missedTargetsOf(row: AbuseRow): readonly string[] {
  const misses: string[] = [];
  const ratio = ratioOf(row);
  if (!(ratio <= ratioMax || floorRatioOf(row) <= floorRatioMax)) {
    const kinds = requestKinds.map(
      (kind) => `${kind} ${row.under.kinds[kind].p99Ms.toFixed(0)} ms`,
    );
    misses.push(`p99 ${ratio.toFixed(1)} times that of an idle server (${kinds.join(", ")})`);
  }
  if (row.under.timeouts > 0) misses.push(`${row.under.timeouts} timeouts`);
  return misses;
}

export const heading =
  "abuse                     idle p50/p99   under p50/p99   ratio timeouts  peak/after MB  loop p99/max  sent, replies";

export function lineOf(row: AbuseRow): string {
  const { name, idle, under, floor, tally, peakBytes, settledBytes } = row;
  const replies = Object.entries(tally.replies).map(([status, count]) => `${status}:${count}`);
  return [
    name.padEnd(24),
    pair(idle.all.p50Ms, idle.all.p99Ms).padStart(14),
    pair(under.all.p50Ms, under.all.p99Ms).padStart(15),
    ratioOf(row).toFixed(1).padStart(7),
    `${under.timeouts}`.padStart(8),
    `${megabytes(peakBytes)}/${megabytes(settledBytes)}`.padStart(14),
    pair(row.eventLoopP99Ms, row.eventLoopMaxMs).padStart(13),
    ...(floor === undefined ? [] : [` floor p99 ${floor.all.p99Ms.toFixed(1)}, `]),
    ` ${tally.sent}, ${replies.join(" ")} refused:${tally.refused} closed:${tally.closed}`,
  ].join(" ");
}

function pair(one: number, other: number): string {
  return `${one.toFixed(1)}/${other.toFixed(1)}`;
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? "?" : `${Math.round(bytes / 1e6)}`;
}
