// Reads the values of a column of a row group in order, for any number of rows at a time. Between two calls it only
// knows where the next rows begin, so memory does not grow with the number of columns.

import type { DecodedArray, SchemaTree } from "hyparquet";
import { assembleNested } from "hyparquet/src/assemble.js";
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { parsers } from "../parquet-value.ts";
import { type Group, leavesOf } from "./footer.ts";
import { damaged, tooManyValues } from "./page-check.ts";
import { pageLimits } from "./page-limits.ts";
import { Pages } from "./pages.ts";

export class ColumnValues {
  readonly #tree: SchemaTree;
  readonly #leaves: readonly LeafValues[];

  /** `root`: the tree of the schema. */
  constructor(
    descriptor: number,
    { root, tree }: { readonly root: SchemaTree; readonly tree: SchemaTree },
    group: Group,
  ) {
    this.#tree = tree;
    this.#leaves = leavesOf(tree, [root]).map((leaf) => {
      const path = leaf.tree.path.join(".");
      const chunk = group.chunks.get(path);
      if (chunk === undefined) throw damaged();
      return new LeafValues(path, new Pages(descriptor, leaf, chunk), {
        at: chunk.from,
        rows: group.rows,
      });
    });
  }

  /**
   * Returns the values of the next rows. Throws if the pages have fewer, or if the row group ends and they have more.
   */
  next(count: number): ArrayLike<unknown> {
    const [first] = this.#leaves;
    const values = new Map<string, DecodedArray>(
      this.#leaves.map((leaf) => [leaf.path, leaf.next(count)]),
    );
    if (this.#tree.children.length > 0) {
      assembleNested(values, this.#tree, { ...DEFAULT_PARSERS, ...parsers });
    }
    const found = values.get(this.#tree.path.join(".")) ?? values.get(first?.path ?? "");
    if (found?.length !== count) throw damaged();
    return found;
  }
}

class LeafValues {
  readonly path: string;
  readonly #pages: Pages;
  readonly #rows: number;
  /** The first page with values of the next rows, and the row that it begins with. */
  #start: { readonly at: number; readonly row: number };
  #row = 0;
  #dictionaryAt: number | undefined;

  constructor(path: string, pages: Pages, { at, rows }: { at: number; rows: number }) {
    this.path = path;
    this.#pages = pages;
    this.#rows = rows;
    this.#start = { at, row: 0 };
  }

  next(count: number): unknown[] {
    if (this.#dictionaryAt !== undefined) {
      this.#pages.readDictionary(this.#pages.readHeader(this.#dictionaryAt));
    }
    const values = this.#pages.isFlat ? this.#nextFlat(count) : this.#nextNested(count);
    this.#pages.forgetDictionary();
    this.#row += count;
    return values;
  }

  #nextFlat(count: number): unknown[] {
    const [from, end] = [this.#row, this.#row + count];
    const found: unknown[] = [];
    let { at, row } = this.#start;
    while (row < end || (end === this.#rows && at < this.#pages.to - 1)) {
      if (at >= this.#pages.to) throw wrongRows();
      const page = this.#pages.readHeader(at);
      if (page.header.type === "DICTIONARY_PAGE") this.#keepDictionary(at, page);
      else if (row + page.values > this.#rows) throw wrongRows();
      else if (row + page.values > from && page.values > 0) {
        const { data } = this.#pages.read(page);
        if (data.length !== page.values) throw damaged();
        for (let index = Math.max(0, from - row); index < Math.min(data.length, end - row);) {
          found.push(copyOf(data[index]));
          index += 1;
        }
      }
      row += page.values;
      at = page.next;
      if (row <= end) this.#start = { at, row };
    }
    return found;
  }

  /** A row may have values in several pages, and its first page is known only after its levels are read. */
  #nextNested(count: number): unknown[] {
    const end = this.#row + count;
    const { row: first } = this.#start;
    const found: unknown[] = [];
    let [{ at }, values] = [this.#start, 0];
    // The last row may continue in the next page.
    while (at < this.#pages.to - 1 && first + found.length <= end) {
      const page = this.#pages.readHeader(at);
      if (page.header.type === "DICTIONARY_PAGE") this.#keepDictionary(at, page);
      else if (page.values > 0) {
        values += page.values;
        if (values > 2 * pageLimits.objectsMax) throw tooManyValues();
        const row = first + found.length;
        const { data, beginsRow } = this.#pages.read(page, found);
        if (data !== found) for (const value of data) found.push(value);
        if (beginsRow && row <= end) this.#start = { at, row };
      }
      at = page.next;
    }
    if (first + found.length > this.#rows) throw wrongRows();
    return found.slice(this.#row - first, end - first);
  }

  #keepDictionary(at: number, page: Parameters<Pages["readDictionary"]>[0]): void {
    this.#dictionaryAt = at;
    this.#pages.readDictionary(page);
  }
}

/** Bytes would keep the whole page in memory. */
function copyOf(value: unknown): unknown {
  return value instanceof Uint8Array ? value.slice() : value;
}

function wrongRows(): Error {
  return new Error("its pages do not have as many rows as its row group");
}
