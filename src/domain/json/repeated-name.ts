// Whether an object in a JSON text names a member twice: JSON.parse keeps the last one and says nothing, other readers may keep the
// first (RFC 8259, section 4). Takes time in proportion to the text.

/** The first name that is there twice in one object; undefined if there is none. The text has to be JSON. */
export function findRepeatedName(text: string): string | undefined {
  /** Of the objects that are open, from the outermost; a list has none. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "{") open.push(new Set());
    else if (sign === "[") open.push(undefined);
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign === '"') {
      const end = endOfText(text, at);
      const names = open.at(-1);
      if (names !== undefined && isName(text, end)) {
        const name = JSON.parse(text.slice(at, end)) as string;
        if (names.has(name)) return name;
        names.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** Behind the closing quotation mark. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** A text is a name where a colon follows. */
function isName(text: string, from: number): boolean {
  let at = from;
  while (" \t\n\r".includes(text[at] ?? "x")) at += 1;
  return text[at] === ":";
}
