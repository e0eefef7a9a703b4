// Reads of everything that a store has of a kind, which take longer the more there is: part by part, so that others are
// served between two parts, and with pauses, so that they take a small share of the time however much there is.

/** Each step reads a bounded amount. The last one returns the result. */
export type Parts<Value> = AsyncGenerator<undefined, Value, undefined>;

export async function readParts<Value>(parts: Parts<Value>, onPart?: () => void): Promise<Value> {
  for (;;) {
    const step = await parts.next();
    if (step.done === true) return step.value;
    onPart?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** After a read of several parts, the next one begins after this many times as long as the read took. */
const pauseFactor = 99;

export class PacedRead<Value> {
  readonly #begin: () => Parts<Value>;
  readonly #now: () => number;
  #latest: Value | undefined;
  #firstPart: Promise<void> | undefined;
  #dueAt = -Infinity;

  constructor(begin: () => Parts<Value>, now: () => number = () => performance.now()) {
    this.#begin = begin;
    this.#now = now;
  }

  /** Waits for the first part only: with more parts, the result is that of an earlier read, or undefined. */
  async latest(): Promise<Value | undefined> {
    if (this.#firstPart === undefined && this.#now() >= this.#dueAt) {
      this.#firstPart = new Promise((resolve, reject) => {
        void this.#read(resolve).then(resolve, reject);
      });
    }
    await this.#firstPart;
    return this.#latest;
  }

  async #read(onPart: () => void): Promise<void> {
    const beganAt = this.#now();
    let parts = 1;
    try {
      this.#latest = await readParts(this.#begin(), () => {
        parts += 1;
        onPart();
      });
      this.#dueAt = parts === 1 ? -Infinity : this.#now() + pauseFactor * (this.#now() - beganAt);
    } catch (error) {
      // An old result would look like a new one.
      this.#latest = undefined;
      throw error;
    } finally {
      this.#firstPart = undefined;
    }
  }
}
