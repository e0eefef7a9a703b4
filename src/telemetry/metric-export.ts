// Exports the metrics at an interval, and once more at the end. It reads the same registry as /metrics and counts nothing
// itself. While an export is not finished, no other one starts.

import { setTimeout as sleep } from "node:timers/promises";
import type { Snapshot } from "../metrics/snapshot.ts";

export interface MetricExportOptions {
  readonly intervalMs: number;
  /** How long the last figures may take to read, as from a database that does not answer. */
  readonly timeoutMs: number;
  readonly snapshot: () => Promise<Snapshot>;
  /** Never rejects. */
  readonly send: (snapshot: Snapshot) => Promise<unknown>;
  /** When the figures can't be read, as while the store is unavailable. */
  readonly onError: (error: unknown) => void;
}

export class MetricExport {
  readonly #options: MetricExportOptions;
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<unknown> | undefined;

  constructor(options: MetricExportOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#exportUnlessBusy(), options.intervalMs).unref();
  }

  /** Reads the last figures, and starts to send them. */
  async takeLast(): Promise<void> {
    clearInterval(this.#timer);
    const done = new AbortController();
    const tooLate = sleep(this.#options.timeoutMs, undefined, { signal: done.signal });
    const snapshot = await Promise.race([this.#read(), tooLate.catch(() => undefined)]);
    done.abort();
    if (snapshot === undefined) return;
    this.#sending = Promise.resolve(this.#sending).then(() => this.#options.send(snapshot));
  }

  /** Resolves when what was taken is sent, or can't be. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
  }

  async #exportUnlessBusy(): Promise<void> {
    if (this.#sending !== undefined) return;
    const work = async (): Promise<void> => {
      const snapshot = await this.#read();
      if (snapshot !== undefined) await this.#options.send(snapshot);
    };
    this.#sending = work().finally(() => (this.#sending = undefined));
    await this.#sending;
  }

  async #read(): Promise<Snapshot | undefined> {
    try {
      return await this.#options.snapshot();
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }
}
