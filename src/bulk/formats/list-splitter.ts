// Splits the text of one JSON list, which arrives in pieces, into the texts of its items. Looks only at brackets,
// quotes and commas; JSON.parse checks the content of an item.

/** Before the list, inside it, inside a string of it, after it; or the text is not a list. */
type ListState = "before" | "inside" | "string" | "ended" | "broken";

/**
 * Splits the text of one JSON list, which arrives in pieces, into the texts of its items. Examines only brackets,
 * quotes and commas; JSON.parse checks the content of an item.
 */
export class ListSplitter {
  #state: ListState = "before";
  #held = "";
  #depth = 0;
  #escaped = false;

  get state(): ListState {
    return this.#state;
  }

  /** Characters of the item that is not complete yet. */
  get heldCharacters(): number {
    return this.#held.length;
  }

  /** The items that end in this piece. */
  push(text: string): readonly string[] {
    const items: string[] = [];
    let from = 0;
    for (let index = 0; index < text.length && this.#state !== "broken"; index += 1) {
      const sign = text.charAt(index);
      if (this.#state === "string") this.#passString(sign);
      else if (this.#state !== "inside") {
        this.#passOutside(sign);
        from = index + 1;
      } else if (this.#endsItem(sign)) {
        const item = this.#held + text.slice(from, index);
        this.#held = "";
        from = index + 1;
        if (item.trim() !== "") items.push(item);
        // Nothing between the brackets means an empty list, but nothing before a comma means a missing item.
        else if (sign === ",") this.#state = "broken";
        if (sign !== ",") this.#state = sign === "]" ? "ended" : "broken";
      }
    }
    if (this.#state === "inside" || this.#state === "string") this.#held += text.slice(from);
    return items;
  }

  #passOutside(sign: string): void {
    if (this.#state === "before" && sign === "[") this.#state = "inside";
    else if (!/[ \t\n\r]/.test(sign)) this.#state = "broken";
  }

  #passString(sign: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (sign === "\\") this.#escaped = true;
    else if (sign === '"') this.#state = "inside";
  }

  /** True for a comma or bracket at the level of the list; keeps count of the brackets inside. */
  #endsItem(sign: string): boolean {
    if (this.#depth === 0 && (sign === "," || sign === "]" || sign === "}")) return true;
    if (sign === '"') this.#state = "string";
    else if (sign === "[" || sign === "{") this.#depth += 1;
    else if (sign === "]" || sign === "}") this.#depth -= 1;
    return false;
  }
}
