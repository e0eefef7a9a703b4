// Finds the list at a path of keys in the text of a JSON document, which arrives in pieces. Examines only brackets and
// keys; what is before the list is not checked, and what is after it is not read.

const keyCharactersMax = 1_000;

export class ListFinder {
  /** Escaped, as JSON has them. */
  readonly #path: readonly string[];
  #depth = 0;
  /** How many keys of the path lead to the object in which it is. */
  #matched = 0;
  #isNext = false;
  #string = "";
  #isInString = false;
  #escaped = false;

  constructor(path: readonly string[]) {
    this.#path = path.map((key) => JSON.stringify(key).slice(1, -1));
  }

  push(text: string): string | undefined {
    for (let index = 0; index < text.length; index += 1) {
      const sign = text.charAt(index);
      if (this.#isInString) this.#passString(sign);
      else if (this.#begins(sign)) return text.slice(index);
    }
    return undefined;
  }

  #passString(sign: string): void {
    if (sign === '"' && !this.#escaped) this.#isInString = false;
    else if (this.#string.length < keyCharactersMax) this.#string += sign;
    this.#escaped = sign === "\\" && !this.#escaped;
  }

  #begins(sign: string): boolean {
    if (sign === '"') {
      this.#isInString = true;
      this.#string = "";
    } else if (sign === ":") {
      const isHere = this.#depth === this.#matched + 1;
      this.#isNext = isHere && this.#string === this.#path[this.#matched];
    } else if (sign === "[" || sign === "{") {
      const isOnPath = this.#isNext;
      if (isOnPath && sign === "[" && this.#matched + 1 === this.#path.length) return true;
      if (isOnPath && sign === "{") this.#matched += 1;
      this.#isNext = false;
      this.#depth += 1;
    } else if (sign === "]" || sign === "}") {
      this.#depth -= 1;
      this.#matched = Math.min(this.#matched, Math.max(this.#depth - 1, 0));
    } else if (sign === ",") this.#isNext = false;
    return false;
  }
}
