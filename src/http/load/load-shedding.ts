// Samples the pressure on the process, and refuses new large work while there is any. Accepted work continues; health
// checks, token requests and small requests are never refused here.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { BodyBudget } from "./body-budget.ts";
import {
  findRefusal,
  heldBytesMaxOf,
  type NewWork,
  noPressure,
  observePressure,
  type PressureLevel,
  type PressureState,
} from "./pressure.ts";

/** How often the process is sampled. */
export const pressureSampleMs = 250;
/** The Retry-After of refused work: about as long as pressure usually lasts. */
export const pressureRetrySeconds = 2;

/** Measures the process. */
export interface PressureProbe {
  /** 99th percentile over about the last quarter of a second. */
  eventLoopDelayMs(): number;
  residentBytes(): number;
}

export interface LoadSheddingOptions {
  readonly probe: PressureProbe;
  readonly bodies: Pick<BodyBudget, "heldBytes" | "boundNew">;
  readonly organizations: { readonly streams: number };
}

export interface LoadSheddingFigures {
  readonly eventLoopDelayMs: number;
  readonly levels: Readonly<Record<"event_loop" | "memory" | "bodies", PressureLevel>>;
  readonly refused: Readonly<Record<NewWork["kind"], number>>;
}

export class LoadShedding {
  readonly #options: LoadSheddingOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #refused = { body: 0, stream: 0 };
  #state: PressureState = noPressure;

  /** Samples until `stop` is called. The timer does not keep the process alive. */
  constructor(options: LoadSheddingOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#observe(), pressureSampleMs).unref();
  }

  /** Throws AppError unavailable. `bytes` is undefined if the size is unknown before the body is read. */
  admitBody(bytes: number | undefined): void {
    this.#admit("body", bytes ?? limits.bodyBytesMax);
  }

  /** Throws AppError unavailable. */
  admitStream(): void {
    this.#admit("stream", 0);
  }

  get figures(): LoadSheddingFigures {
    const { sample, delay, memory, bodies } = this.#state;
    return {
      eventLoopDelayMs: sample?.eventLoopDelayMs ?? 0,
      levels: { event_loop: delay, memory, bodies },
      refused: this.#refused,
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #admit(kind: NewWork["kind"], bytes: number): void {
    const isAlone = this.#isIdle();
    if (findRefusal(this.#state, { kind, bytes, isAlone }) === undefined) return;
    this.#refused[kind] += 1;
    throw new AppError("unavailable", {
      message:
        "The service is under heavy load and accepts only small requests for now. Send fewer records at a time, or try " +
        "again soon.",
      retryAfterSeconds: pressureRetrySeconds,
    });
  }

  #isIdle(): boolean {
    const { bodies, organizations } = this.#options;
    return bodies.heldBytes === 0 && organizations.streams === 0;
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
