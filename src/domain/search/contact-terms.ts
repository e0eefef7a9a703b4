// How e-mail addresses, numbers of documents and dates are compared in a search, by the rules of their standards.
// Telephone numbers are in actions/search/telephone.ts, because their rules need a library.

import { spell } from "./transliteration.ts";

const atSign = /[@＠]/;

/**
 * The domain in the form of the DNS (RFC 5890), and everything in lower case: RFC 5321 lets a server distinguish case
 * in the part before the @, but no server does. Undefined if the text is not an address.
 */
export function normaliseEmail(text: string): string | undefined {
  const parts = text.normalize("NFKC").trim().toLowerCase().split(atSign);
  const domain = parts.at(-1) ?? "";
  const local = parts.slice(0, -1).join("@");
  if (local === "" || domain === "") return undefined;
  const host = URL.parse(`http://${domain}`)?.host;
  return host === undefined || host === "" ? undefined : `${local}@${host}`;
}

/** The letters and digits of a number that an authority or a register gave. Undefined if there are none. */
export function normaliseNumber(text: string): string | undefined {
  const [spelled = ""] = spell(text);
  const number = spelled.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return number === "" ? undefined : number;
}

/** A date as records have it, YYYY-MM-DD. */
export function normaliseDate(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined;
}
