// Decides which waiting jobs share the next transaction. Small writes go first, lists come in between, and
// organizations take turns, so that the bulk work of one organization delays a single write of another by at most one
// bounded group. Pure: no I/O, no clock.
//
//   lane     holds                                              a group of it
//   small    writes of few rows, shared operations              up to groupWritesMax jobs and groupRowsMax rows
//   lists    lists up to groupRowsMax rows and groupBytesMax    as many lists as stay within both
//   long     lists beyond that, which are one transaction each  one list
//   alone    operations that need a separate transaction        one operation
//
// The small lane alternates with the other lanes, which take turns. A long list takes tens of milliseconds in which
// nobody else is served. So while another organization is active, the lane rests after a long list (`restAfter()`), for
// at most longListRestMsMax, and a group of lists has at most half of the rows.

import { limits } from "../../domain/limits.ts";
import type { Draft } from "../../domain/record/record-write.ts";
import { FairQueue } from "../../basics/fair-queue.ts";

/** Jobs of one transaction. */
const groupWritesMax = 2_048;
/** Bytes of the payloads of one transaction. */
export const groupBytesMax = 4 * 1_024 * 1_024;
/** How long others may wait for long lists at the 99th percentile. */
const longListWaitMs = 25;
/** The longest rest after a long list, so that lists are served also beside others that are always active. */
export const longListRestMsMax = 8_000;

export type Lane = "small" | "lists" | "long" | "alone";

export interface Arrival<Item> {
  readonly item: Item;
  readonly organizationId: string;
  readonly rows: number;
  readonly bytes: number;
  /** True for an operation that must be the only job of its group. */
  readonly alone: boolean;
}

export interface ScheduledGroup<Item> {
  readonly lane: Lane;
  readonly items: readonly Item[];
}

/** Rows up to which a write belongs to the small lane. */
const smallRowsMax = 16;
/** How long an organization counts as active after its last arrival. */
const activeMs = 1_000;

const others: readonly Exclude<Lane, "small">[] = ["alone", "lists", "long"];

export interface SchedulerOptions {
  /** False where a long list delays nobody. */
  readonly longListsRest: boolean;
}

export class GroupScheduler<Item> {
  readonly #options: SchedulerOptions;
  readonly #lanes = {
    small: new FairQueue<Arrival<Item>>(smallRowsMax),
    lists: new FairQueue<Arrival<Item>>(limits.groupRowsMax / 4),
    long: new FairQueue<Arrival<Item>>(limits.groupRowsMax),
    alone: new FairQueue<Arrival<Item>>(1),
  };
  #smallIsNext = true;
  /** The index in `others` at which the search for the next one begins. */
  #otherIsNext = 0;
  #longAllowedAt = 0;
  /** The organization of the last arrival and its time, and the time of the last one of any other organization. */
  #lastOrganizationId = "";
  #lastAt = -Infinity;
  #lastOfOthersAt = -Infinity;

  constructor(options: SchedulerOptions = { longListsRest: true }) {
    this.#options = options;
  }

  /** Number of waiting jobs. */
  get size(): number {
    const { small, lists, long, alone } = this.#lanes;
    return small.size + lists.size + long.size + alone.size;
  }

  add(arrival: Arrival<Item>, nowMs: number): void {
    this.#observe(arrival.organizationId, nowMs);
    this.#lanes[laneOf(arrival)].push(arrival.organizationId, arrival, arrival.rows);
  }

  /** Undefined if nothing waits, except for long lists whose lane rests. */
  take(nowMs: number): ScheduledGroup<Item> | undefined {
    const group = this.#smallIsNext ? this.#takeSmall() : this.#takeOther(nowMs);
    return group ?? (this.#smallIsNext ? this.#takeOther(nowMs) : this.#takeSmall());
  }

  /** Takes everything that waits, in no particular order. */
  takeAll(): readonly Item[] {
    return Object.values(this.#lanes).flatMap((lane) =>
      Array.from(lane.inTurn(), (place) => lane.take(place).item),
    );
  }

  /** Reports the processor time of a group, from which the rest of the long lane is computed. */
  ran(lane: Lane, workMs: number, nowMs: number): void {
    if (lane !== "long" || !this.#options.longListsRest) return;
    this.#longAllowedAt = nowMs + restAfter(workMs);
  }

  /** When to call `take` again although nothing arrives; undefined if that is not needed. */
  nextAt(): number | undefined {
    const next = this.#lanes.long.peek();
    if (next === undefined) return undefined;
    return Math.min(this.#longAllowedAt, this.#othersActiveAt(next.organizationId) + activeMs);
  }

  #observe(organizationId: string, nowMs: number): void {
    if (organizationId === "") return;
    if (organizationId !== this.#lastOrganizationId) {
      this.#lastOfOthersAt = this.#lastAt;
      this.#lastOrganizationId = organizationId;
    }
    this.#lastAt = nowMs;
  }

  /** The last arrival from any other organization. */
  #othersActiveAt(organizationId: string): number {
    return organizationId === this.#lastOrganizationId ? this.#lastOfOthersAt : this.#lastAt;
  }

  #takeSmall(): ScheduledGroup<Item> | undefined {
    if (this.#lanes.small.size === 0) return undefined;
    this.#smallIsNext = false;
    return { lane: "small", items: this.#takeGroup("small", limits.groupRowsMax) };
  }

  #takeOther(nowMs: number): ScheduledGroup<Item> | undefined {
    for (let passed = 0; passed < others.length; passed += 1) {
      const index = (this.#otherIsNext + passed) % others.length;
      const lane = others[index] ?? "lists";
      if (this.#lanes[lane].size === 0) continue;
      if (lane === "long" && !this.#mayRunLong(nowMs)) continue;
      this.#otherIsNext = index + 1;
      this.#smallIsNext = true;
      return { lane, items: this.#takeGroup(lane, this.#groupRowsMax(lane, nowMs)) };
    }
    return undefined;
  }

  #mayRunLong(nowMs: number): boolean {
    const next = this.#lanes.long.peek();
    if (next === undefined) return false;
    return nowMs >= this.#longAllowedAt || this.#isAlone(next, nowMs);
  }

  #groupRowsMax(lane: Lane, nowMs: number): number {
    const next = this.#lanes[lane].peek();
    if (next === undefined || this.#isAlone(next, nowMs)) return limits.groupRowsMax;
    return limits.groupRowsMax / 2;
  }

  #isAlone({ organizationId }: Arrival<Item>, nowMs: number): boolean {
    return nowMs - this.#othersActiveAt(organizationId) >= activeMs;
  }

  #takeGroup(lane: Lane, rowsMax: number): readonly Item[] {
    const itemsMax = lane === "small" || lane === "lists" ? groupWritesMax : 1;
    const items: Item[] = [];
    let rows = 0;
    let bytes = 0;
    const waiting = this.#lanes[lane];
    for (const place of waiting.inTurn()) {
      rows += place.item.rows;
      bytes += place.item.bytes;
      const fits = rows <= rowsMax && bytes <= groupBytesMax;
      if (items.length > 0 && !(fits && items.length < itemsMax)) break;
      items.push(waiting.take(place).item);
    }
    return items;
  }
}

/**
 * A list that takes no longer than the wait needs no rest. The share of arrivals that wait for longer is
 * (workMs - longListWaitMs) / (workMs + rest): below one percent, or more after a list whose rest is cut short.
 */
function restAfter(workMs: number): number {
  return Math.min(100 * Math.max(0, workMs - longListWaitMs), longListRestMsMax);
}

function laneOf<Item>({ alone, rows, bytes }: Arrival<Item>): Lane {
  if (alone) return "alone";
  if (isLongList({ rows, bytes })) return "long";
  return rows > smallRowsMax ? "lists" : "small";
}

/** True for a list that must be alone in its group. */
export function isLongList({
  rows,
  bytes,
}: {
  readonly rows: number;
  readonly bytes: number;
}): boolean {
  return rows > limits.groupRowsMax || bytes > groupBytesMax;
}

/** Bytes of the payloads, counted as characters. Never throws: an invalid write has to fail by itself. */
export function countBytes(drafts: readonly Draft[]): number {
  let bytes = 0;
  for (const { payload } of drafts) bytes += typeof payload === "string" ? payload.length : 0;
  return bytes;
}
