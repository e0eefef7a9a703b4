// The findings of a check, one sentence each.

const findingsMax = 200;

/** A bounded list without the same sentence twice. */
export class Findings {
  readonly #found = new Set<string>();

  get list(): readonly string[] {
    return [...this.#found];
  }

  add(...findings: readonly string[]): void {
    for (const finding of findings) {
      if (this.#found.size < findingsMax) this.#found.add(finding);
    }
  }
}
