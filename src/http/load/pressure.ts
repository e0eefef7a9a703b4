// Decides which new work a process under pressure rejects: the largest first, and never small requests. Pure: samples of
// the process in, a decision out.

import { limits } from "../../domain/limits.ts";

/** The process at one moment. */
export interface PressureSample {
  /** On a monotonic clock. */
  readonly atMs: number;
  /** 99th percentile since about the last sample. */
  readonly eventLoopDelayMs: number;
  readonly residentBytes: number;
  /** Bytes of large bodies that are held, or for which room is reserved. */
  readonly heldBodyBytes: number;
}

export type PressureLevel = "none" | "high" | "critical";

export interface PressureState {
  readonly sample: PressureSample | undefined;
  /** Since when the event loop has been late without a break. */
  readonly lateSinceMs: number | undefined;
  readonly delay: PressureLevel;
  readonly memory: PressureLevel;
  readonly bodies: PressureLevel;
}

export const noPressure: PressureState = {
  sample: undefined,
  lateSinceMs: undefined,
  delay: "none",
  memory: "none",
  bodies: "none",
};

/** What the state becomes with a further sample. */
export function observePressure(before: PressureState, sample: PressureSample): PressureState {
  const lateSinceMs = findLateSince(before, sample);
  const isLate =
    lateSinceMs !== undefined && sample.atMs - lateSinceMs >= limits.pressureDelaySustainedMs;
  const held = sample.heldBodyBytes >= limits.heldBodyBytesMax * nearlyFull;
  return {
    sample,
    lateSinceMs,
    delay: isLate ? "critical" : "none",
    memory: memoryLevel(sample.residentBytes),
    bodies: held ? "high" : "none",
  };
}

/** The rest is left to bodies that are not among the largest. */
const nearlyFull = 7 / 8;

/** Below half of the bound it is over; in between nothing changes, so that the decision does not flicker. */
function findLateSince(
  { sample: last, lateSinceMs, delay }: PressureState,
  { atMs, eventLoopDelayMs }: PressureSample,
): number | undefined {
  const max = limits.pressureDelayMsMax;
  // A loop that was blocked since the last sample was late for all of that time.
  if (eventLoopDelayMs > max) return lateSinceMs ?? last?.atMs ?? atMs;
  return delay !== "none" && eventLoopDelayMs > max / 2 ? lateSinceMs : undefined;
}

function memoryLevel(residentBytes: number): PressureLevel {
  if (residentBytes >= limits.residentBytesCritical) return "critical";
  return residentBytes >= limits.residentBytesHigh ? "high" : "none";
}

export interface NewWork {
  readonly kind: "body" | "stream";
  /** After decoding, as far as that is known. */
  readonly bytes: number;
  /** True if no large body and no stream is under way. */
  readonly isAlone: boolean;
}

/**
 * Why the work is rejected; undefined if it is accepted. Resident memory alone rejects nothing that would be alone:
 * memory that the process keeps for later must not shut large work out for good.
 */
export function findRejection(
  { delay, memory, bodies }: PressureState,
  { kind, bytes, isAlone }: NewWork,
): "event_loop_delay" | "memory" | undefined {
  const isLargest = kind === "stream" || bytes >= limits.largestBodyBytesMin;
  const isLarge = kind === "stream" || bytes >= limits.shedBodyBytesMin;
  if (delay === "critical" && isLarge) return "event_loop_delay";
  if (bodies !== "none" && kind === "body" && isLargest) return "memory";
  if (memory === "none" || isAlone) return undefined;
  return (memory === "critical" ? isLarge : isLargest) ? "memory" : undefined;
}

/** How much bodies that wait for room may hold together with those that have it. At least one may always go on. */
export function heldBytesMaxOf({ memory }: PressureState): number {
  if (memory === "critical") return limits.bodyBytesMax;
  return memory === "high" ? limits.heldBodyBytesMax / 2 : limits.heldBodyBytesMax;
}
