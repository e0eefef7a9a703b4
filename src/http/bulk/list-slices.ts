// Cuts a JSON list into slices of whole items without parsing it, so that a large body can be parsed bit by bit. Only
// looks for the commas between items; whoever parses the slices finds out whether they are JSON.

/** Where the items of one slice are in the body. The byte before it and the byte behind it are a bracket or a comma. */
export interface ListSlice {
  readonly start: number;
  readonly end: number;
  readonly items: number;
}

export interface SliceBounds {
  readonly itemsMax: number;
  /** From so many bytes on a slice ends with the item in hand. */
  readonly bytes: number;
  /** An item of more bytes has a slice of its own. */
  readonly itemBytesMax: number;
}

/** `rest`: where what could not be cut begins, if the body is no list or does not end where the list does. */
export type ListEnd = { readonly whole: true } | { readonly whole: false; readonly rest: number };

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Whether what is in the body begins as a list. */
export function startsList(body: Uint8Array): boolean {
  return body[skipBlanks(body, 0)] === openBracket;
}

/** Reads each byte once, and yields the slices in order. */
export function* sliceList(body: Uint8Array, bounds: SliceBounds): Generator<ListSlice, ListEnd> {
  const open = skipBlanks(body, 0);
  if (body[open] !== openBracket) return { whole: false, rest: 0 };
  let start = open + 1;
  let items = 0;
  let itemStart = start;
  for (;;) {
    const end = endOfItem(body, itemStart);
    if (end === body.length) return { whole: false, rest: start };
    const isLast = body[end] === closeBracket;
    if (isLast && items === 0 && itemStart === open + 1 && skipBlanks(body, itemStart) === end) {
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

function endOf(body: Uint8Array, at: number, rest: number): ListEnd {
  return skipBlanks(body, at + 1) === body.length ? { whole: true } : { whole: false, rest };
}

/** The comma or bracket behind the item; the end of the body if there is none. */
function endOfItem(body: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) at = endOfString(body, at + 1);
    else if (byte === openBracket || byte === openBrace) depth += 1;
    else if (byte === closeBracket || byte === closeBrace) {
      if (depth === 0) return byte === closeBracket ? at : body.length;
      depth -= 1;
    } else if (byte === comma && depth === 0) return at;
  }
  return body.length;
}

/** The closing quote, or the end of the body. */
function endOfString(body: Uint8Array, from: number): number {
  let at = from;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

/** Blanks of JSON (RFC 8259, section 2). */
function skipBlanks(body: Uint8Array, from: number): number {
  let at = from;
  while (isBlank(body[at])) at += 1;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
