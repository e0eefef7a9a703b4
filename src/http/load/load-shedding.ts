// Samples the pressure on the process, and refuses new large work while there is any. Accepted work continues; health
// checks, token requests and small requests are never refused here.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { MemoryBudget } from "./memory-budget.ts";

export const pressureSampleMs = 250;
export const pressureRetrySeconds = 2;

export interface PressureProbe {
  /** 99th percentile over about the last quarter of a second. */
  eventLoopDelayMs(): number;
  residentBytes(): number;
}

interface LoadSheddingOptions {
  readonly probe: PressureProbe;
  readonly bodies: Pick<MemoryBudget, "heldBytes" | "boundNew">;
  readonly pages: Pick<MemoryBudget, "heldBytes">;
  readonly organizations: { readonly streams: number };
}

export class LoadShedding {
  readonly #options: LoadSheddingOptions;
  readonly #timer: NodeJS.Timeout;
  readonly refused = { body: 0, stream: 0 };
  #state: PressureState = noPressure;

  /** Samples until `stop` is called. The timer does not keep the process alive. */
  constructor(options: LoadSheddingOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#observe(), pressureSampleMs).unref();
  }

  /** Throws AppError unavailable. `bytes` is undefined if the size is unknown before the body is read. */
  admitBody(bytes: number | undefined): void {
    this.#admit({ kind: "body", bytes: bytes ?? limits.bodyBytesMax });
  }

  /** Throws AppError unavailable. */
  admitStream(): void {
    this.#admit({ kind: "stream", bytes: Infinity });
  }

  get eventLoopDelayMs(): number {
    return this.#state.sample?.eventLoopDelayMs ?? 0;
  }

  get levels(): Readonly<Record<"event_loop" | "memory" | "bodies", PressureLevel>> {
    const { delay: event_loop, memory, bodies } = this.#state;
    return { event_loop, memory, bodies };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #admit(work: Omit<NewWork, "isAlone">): void {
    if (!isRefused(this.#state, { ...work, isAlone: this.#isIdle() })) return;
    this.refused[work.kind] += 1;
    throw new AppError("unavailable", {
      message:
        "The service is under heavy load and accepts only small requests for now. Send fewer records at a time, or try " +
        "again soon.",
      retryAfterSeconds: pressureRetrySeconds,
    });
  }

  #isIdle(): boolean {
    const { bodies, pages, organizations } = this.#options;
    return bodies.heldBytes === 0 && pages.heldBytes === 0 && organizations.streams === 0;
  }

  #observe(): void {
    const { probe, bodies } = this.#options;
    this.#state = observePressure(this.#state, {
      atMs: performance.now(),
      eventLoopDelayMs: probe.eventLoopDelayMs(),
      residentBytes: probe.residentBytes(),
      heldBodyBytes: bodies.heldBytes,
      isIdle: this.#isIdle(),
    });
    bodies.boundNew(heldBytesMaxOf(this.#state));
  }
}

// Decides which new work a process under pressure refuses: the largest first, and never small requests. Pure functions
// of samples of the process.

export interface PressureSample {
  /** Milliseconds of a monotonic clock. */
  readonly atMs: number;
  /** 99th percentile, approximately since the last sample. */
  readonly eventLoopDelayMs: number;
  readonly residentBytes: number;
  readonly heldBodyBytes: number;
  readonly isIdle: boolean;
}

/** 0: none. 1: the largest new work is refused. 2: all large new work is. */
type PressureLevel = 0 | 1 | 2;

export interface PressureState {
  readonly sample: PressureSample | undefined;
  /** The time since which the event loop has been late without interruption. */
  readonly lateSinceMs: number | undefined;
  /** Free for large work: the process has kept it from earlier work instead of returning it. */
  readonly retainedBytes: number;
  readonly delay: PressureLevel;
  readonly memory: PressureLevel;
  readonly bodies: PressureLevel;
}

export const noPressure: PressureState = {
  sample: undefined,
  lateSinceMs: undefined,
  retainedBytes: 0,
  delay: 0,
  memory: 0,
  bodies: 0,
};

export function observePressure(before: PressureState, sample: PressureSample): PressureState {
  const lateSinceMs = findLateSince(before, sample);
  const isLate =
    lateSinceMs !== undefined && sample.atMs - lateSinceMs >= limits.pressureDelaySustainedMs;
  const retainedBytes = findRetained(before, sample);
  const held = sample.heldBodyBytes >= limits.heldBodyBytesMax * nearlyFull;
  return {
    sample,
    lateSinceMs,
    retainedBytes,
    delay: isLate ? 2 : 0,
    memory: memoryLevel(sample.residentBytes - retainedBytes),
    bodies: held ? 1 : 0,
  };
}

/** The share that the largest bodies may use; the rest is reserved for smaller bodies. */
const nearlyFull = 7 / 8;

/** The delay ends below half of the bound, so that the decision does not alternate quickly. */
function findLateSince(
  { sample: last, lateSinceMs, delay }: PressureState,
  { atMs, eventLoopDelayMs }: PressureSample,
): number | undefined {
  const max = limits.pressureDelayMsMax;
  // A loop that was blocked since the last sample was late for all of that time.
  if (eventLoopDelayMs > max) return lateSinceMs ?? last?.atMs ?? atMs;
  return delay > 0 && eventLoopDelayMs > max / 2 ? lateSinceMs : undefined;
}

/**
 * Finds how much resident memory the next large work can use again. Allocators keep pages, so while nothing large is in
 * progress, all that is resident beyond the usual is free. Pressure is the growth from there, not the most that was
 * ever resident. The result is bounded, so that resident memory is bounded too.
 */
function findRetained(
  { retainedBytes: before }: PressureState,
  { residentBytes, isIdle }: PressureSample,
): number {
  const beyond = Math.max(0, residentBytes - limits.residentBytesUsual);
  return Math.min(beyond, isIdle ? limits.retainedBytesMax : before);
}

function memoryLevel(residentBytes: number): PressureLevel {
  if (residentBytes >= limits.residentBytesCritical) return 2;
  return residentBytes >= limits.residentBytesHigh ? 1 : 0;
}

export interface NewWork {
  readonly kind: "body" | "stream";
  /** Infinite for a stream. */
  readonly bytes: number;
  readonly isAlone: boolean;
}

/** Resident memory alone never refuses work that would be the only one: it could refuse large work permanently. */
export function isRefused(
  { delay, memory, bodies }: PressureState,
  { kind, bytes, isAlone }: NewWork,
): boolean {
  const level = Math.max(delay, kind === "body" ? bodies : 0, isAlone ? 0 : memory);
  return level > 0 && bytes >= (level === 1 ? limits.largestBodyBytesMin : limits.shedBodyBytesMin);
}

/** The bound for all bodies when a further one is reserved. At least one body can always proceed. */
export function heldBytesMaxOf({ memory }: PressureState): number {
  if (memory === 2) return limits.bodyBytesMax;
  return limits.heldBodyBytesMax / (memory + 1);
}
