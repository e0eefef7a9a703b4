// Notices that this process did not run for a while, because it was stopped, starved or its machine slept. Timeouts of
// the service have then passed in the middle of requests, so what it replied says nothing.

/** Less than any timeout of the service, and more than the longest work that the event loop does at once. */
const gapMsMin = 4_000;
const intervalMs = 500;

export class SuspensionWatch {
  readonly #timer: NodeJS.Timeout;
  #lastAt = performance.now();
  #count = 0;

  constructor() {
    this.#timer = setInterval(() => this.#observe(), intervalMs).unref();
  }

  /** How often this has happened so far. */
  get count(): number {
    this.#observe();
    return this.#count;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #observe(): void {
    const now = performance.now();
    if (now - this.#lastAt >= gapMsMin) this.#count += 1;
    this.#lastAt = now;
  }
}
