// Converts telephone numbers to ITU-T E.164, for the search. The numbering plans of all countries come from a library,
// which only this file imports, and which is loaded when it is first needed.

import type { parsePhoneNumber } from "awesome-phonenumber";
import { normaliseText } from "./contact-terms.ts";

export interface TelephoneNumber {
  /** In E.164, such as +49301234567; undefined if the text does not tell the country. */
  readonly full: string | undefined;
  /** The digits without the country code and the trunk prefix; several if it is uncertain where they begin. */
  readonly national: readonly string[];
}

/** Shorter texts are extensions, or not telephone numbers. */
const nationalDigitsMin = 5;
/** E.164 allows 15 digits; some texts repeat a trunk prefix. */
const digitsMax = 20;

export type TelephoneReader = (text: string) => TelephoneNumber;

export async function loadTelephoneReader(): Promise<TelephoneReader> {
  const library = await import("awesome-phonenumber");
  return (text) => readTelephone(text, library.parsePhoneNumber);
}

type Parse = typeof parsePhoneNumber;

function readTelephone(text: string, library: Parse): TelephoneNumber {
  const international = normaliseText(text).replace(/^[\s(]*00(?=[\s()-]*[1-9])/, "+");
  const parsed = parse(international, library);
  if (parsed !== undefined) return parsed;
  const digits = international.replaceAll(/[^\d]/g, "").slice(0, digitsMax);
  // Without a plus, the digits may or may not begin with a country code.
  const perhaps = digits.startsWith("0") ? undefined : parse(`+${digits}`, library);
  const national = [withoutTrunk(digits), ...(perhaps?.national ?? [])];
  return { full: undefined, national: national.filter((one) => one.length >= nationalDigitsMin) };
}

function parse(text: string, library: Parse): TelephoneNumber | undefined {
  const { number, possible } = library(text);
  if (number === undefined || !possible) return undefined;
  // The number as people dial it there, such as with 8 before it in Russia; an extension follows a letter.
  const [dialled = ""] = (number.national ?? "").split(/\p{L}/u);
  const national = [number.significant, dialled.replaceAll(/[^\d]/g, "")].map(withoutTrunk);
  return { full: number.e164, national: [...new Set(national)].filter((one) => one !== "") };
}

function withoutTrunk(digits: string): string {
  return digits.replace(/^0+/, "");
}
