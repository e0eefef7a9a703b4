// Shares lookups of the same key that are requested at the same time. Caches nothing.

/**
 * Runs lookups. While a lookup of a key runs, later requests for the key share the next one. So at most two lookups of
 * a key run for any number of concurrent requests, and none returns what was read before it was requested.
 */
export class SharedLookups<Result> {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<Result>>();

  /** Rejects as `lookUp` does. */
  run(key: string, lookUp: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, lookUp);
    let next = this.#next.get(key);
    if (next === undefined) {
      next = running.then(() => {
        this.#next.delete(key);
        return this.run(key, lookUp);
      });
      this.#next.set(key, next);
    }
    return next;
  }

  #start(key: string, lookUp: () => Promise<Result>): Promise<Result> {
    const result = lookUp();
    const end = () => void this.#running.delete(key);
    this.#running.set(key, result.then(end, end));
    return result;
  }
}
