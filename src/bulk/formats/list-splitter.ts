// Splits the text of one JSON list, which arrives in pieces, into the texts of its items. Looks only at brackets, quotes and
// commas; JSON.parse checks the content of an item.

/** Before the opening bracket of the list, inside the list, or after its closing bracket. */
type Place = "before" | "inside" | "after";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const blank: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

export class ListSplitter {
  #place: Place = "before";
  #held = "";
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** The text is not a list. */
  #broken = false;

  /** Characters of the item that is not complete yet. */
  get heldCharacters(): number {
    return this.#held.length;
  }

  /** True if the text so far is a whole list. */
  get isComplete(): boolean {
    return this.#place === "after" && !this.#broken;
  }

  get isBroken(): boolean {
    return this.#broken;
  }

  /** The items that end in this piece. */
  push(text: string): readonly string[] {
    const items: string[] = [];
    let from = 0;
    for (let index = 0; index < text.length && !this.#broken; index += 1) {
      const code = text.charCodeAt(index);
      if (this.#place !== "inside") {
        this.#outside(code);
        from = index + 1;
      } else if (this.#inText) {
        this.#passText(code);
      } else if (this.#endsItem(code)) {
        this.#finish(text.slice(from, index), { isLast: code !== comma, items });
        from = index + 1;
      }
    }
    if (this.#place === "inside") this.#held += text.slice(from);
    return items;
  }

  #outside(code: number): void {
    if (this.#place === "before" && code === 0x5b) this.#place = "inside";
    else if (!blank.has(code)) this.#broken = true;
  }

  #passText(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === backslash) this.#escaped = true;
    else if (code === quote) this.#inText = false;
  }

  /** True for a comma or bracket at the level of the list; keeps count of all others. */
  #endsItem(code: number): boolean {
    if (code === quote) this.#inText = true;
    else if (opening.has(code)) this.#depth += 1;
    else if (code === comma) return this.#depth === 0;
    else if (closing.has(code)) {
      if (this.#depth === 0) return true;
      this.#depth -= 1;
    }
    return false;
  }

  /** An empty text between commas breaks the list; in an empty list it is not an item. */
  #finish(text: string, { isLast, items }: { isLast: boolean; items: string[] }): void {
    const item = this.#held + text;
    this.#held = "";
    if (isLast) this.#place = "after";
    if (item.trim() !== "") items.push(item);
    else if (!isLast) this.#broken = true;
  }
}
