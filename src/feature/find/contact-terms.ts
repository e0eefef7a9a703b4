// How e-mail addresses, numbers of documents and dates are compared in a search, by the rules of their standards.
// Telephone numbers are in actions/search/telephone.ts, because their rules need a library.

import { isFullDate } from "../../domain/timestamp.ts";
import { spell } from "./transliteration.ts";

const atSign = /[@＠]/;

/** Removes characters that nobody sees, such as direction marks, and writes the digits of all scripts as 0 to 9. */
export function normaliseText(text: string): string {
  const visible = text.normalize("NFKC").replaceAll(/\p{Cf}/gu, "");
  return visible.replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit)));
}

/** The ten digits of a script follow each other, and no digit comes before them. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}

/** RFC 5890 for the domain; RFC 5321 lets a server distinguish case before the @, but no server does. */
export function normaliseEmail(text: string): string | undefined {
  const parts = normaliseText(text).trim().toLowerCase().split(atSign);
  const domain = (parts.at(-1) ?? "").replace(/\.$/, "");
  const local = parts.slice(0, -1).join("@");
  if (local === "" || domain === "") return undefined;
  const host = URL.parse(`http://${domain}`)?.host;
  return host === undefined || host === "" ? undefined : `${local}@${host}`;
}

/** The letters and digits of a number that an authority or a register gave. Undefined if there are none. */
export function normaliseNumber(text: string): string | undefined {
  const [spelled = ""] = spell(normaliseText(text));
  const number = spelled.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return number === "" ? undefined : number;
}

/** A date as records have it, YYYY-MM-DD. Undefined if the calendar has no such day. */
export function normaliseDate(text: string): string | undefined {
  return isFullDate(text) ? text : undefined;
}
