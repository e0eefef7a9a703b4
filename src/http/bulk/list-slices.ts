// Divides a JSON list into slices of whole items without parsing it, so that a large body can be parsed in steps. Finds
// only the commas between items: whether a slice is valid JSON is known when it is parsed.

/** The bytes before and after it are a bracket or a comma. One without items ends a step of `stepBytes`. */
export interface ListSlice {
  readonly start: number;
  readonly end: number;
  readonly items: number;
}

export interface SliceBounds {
  readonly itemsMax: number;
  /** A slice that has reached this many bytes ends after the current item. */
  readonly bytes: number;
  /** A larger item is the only one of its slice. */
  readonly itemBytesMax: number;
  readonly stepBytes: number;
}

/** `from`: where the undivided part begins, if the body is not a list or continues after the end of its list. */
export type ListEnd = { readonly whole: true } | { readonly whole: false; readonly from: number };

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

export function startsList(body: Uint8Array): boolean {
  return body[skipWhitespace(body, 0)] === openBracket;
}

/** Reads each byte once, and yields the slices in order. */
export function* sliceList(body: Uint8Array, bounds: SliceBounds): Generator<ListSlice, ListEnd> {
  const open = skipWhitespace(body, 0);
  if (body[open] !== openBracket) return { whole: false, from: 0 };
  let start = open + 1;
  let items = 0;
  let itemStart = start;
  for (;;) {
    const scan: ItemScan = { at: itemStart, depth: 0, isInText: false };
    while (!findEnd(body, scan, scan.at + bounds.stepBytes)) {
      if (scan.at >= body.length) return { whole: false, from: start };
      yield { start, end: start, items: 0 };
    }
    const end = scan.at;
    const isLast = body[end] === closeBracket;
    if (
      isLast &&
      items === 0 &&
      itemStart === open + 1 &&
      skipWhitespace(body, itemStart) === end
    ) {
      return endOf(body, end, start);
    }
    const isLarge = end - itemStart > bounds.itemBytesMax;
    if (isLarge && items > 0) {
      yield { start, end: itemStart - 1, items };
      start = itemStart;
      items = 0;
    }
    items += 1;
    itemStart = end + 1;
    if (isLast || isLarge || items === bounds.itemsMax || end - start >= bounds.bytes) {
      yield { start, end, items };
      start = itemStart;
      items = 0;
    }
    if (isLast) return endOf(body, end, end);
  }
}

function endOf(body: Uint8Array, at: number, from: number): ListEnd {
  return skipWhitespace(body, at + 1) === body.length ? { whole: true } : { whole: false, from };
}

interface ItemScan {
  at: number;
  depth: number;
  isInText: boolean;
}

/** Whether `at` is then the comma or bracket after the item; it is behind the body if the item has no end. */
function findEnd(body: Uint8Array, scan: ItemScan, until: number): boolean {
  const last = Math.min(until, body.length);
  let { at, depth } = scan;
  for (; at < last; at += 1) {
    const byte = body[at];
    if (scan.isInText || byte === quote) {
      at = endOfText(body, scan.isInText ? at : at + 1, last);
      scan.isInText = at >= last;
      if (scan.isInText) break;
    } else if (byte === openBracket || byte === openBrace) depth += 1;
    else if (byte === closeBracket || byte === closeBrace) {
      if (depth === 0) {
        scan.at = byte === closeBracket ? at : body.length;
        return byte === closeBracket;
      }
      depth -= 1;
    } else if (byte === comma && depth === 0) {
      scan.at = at;
      return true;
    }
  }
  scan.at = at;
  scan.depth = depth;
  return false;
}

function endOfText(body: Uint8Array, from: number, last: number): number {
  let at = from;
  while (at < last && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

export function trimJson(text: Uint8Array): Uint8Array {
  const start = skipWhitespace(text, 0);
  let end = text.length;
  while (end > start && isWhitespace(text[end - 1])) end -= 1;
  return text.subarray(start, end);
}

function skipWhitespace(body: Uint8Array, from: number): number {
  let at = from;
  while (isWhitespace(body[at])) at += 1;
  return at;
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
