// The faults of a file, as sentences. Keeps a bounded number of them, and counts the others.

const listedMax = 100;

export class Faults {
  readonly #listed: string[] = [];
  #count = 0;

  add(...faults: readonly string[]): void {
    this.#count += faults.length;
    this.#listed.push(...faults.slice(0, listedMax - this.#listed.length));
  }

  list(): readonly string[] {
    const more = this.#count - this.#listed.length;
    return more === 0 ? this.#listed : [...this.#listed, `There are ${more} further faults.`];
  }
}
