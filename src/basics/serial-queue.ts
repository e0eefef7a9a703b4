// Runs asynchronous calls one after another, in the order in which they were made.

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles like `work`. A call that fails does not affect later ones. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
