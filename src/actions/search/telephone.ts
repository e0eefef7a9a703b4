// Telephone numbers as ITU-T E.164 writes them, for the search. The numbering plans of all countries are data of a library,
// which is imported
// here only, and loaded when it is first needed.

import type { parsePhoneNumberFromString } from "libphonenumber-js/min";

export interface TelephoneNumber {
  /** In E.164, such as +49301234567; undefined if the text does not say of which country it is. */
  readonly full: string | undefined;
  /** The digits without the codes of a country and of a trunk; more than one if it is not certain where they begin. */
  readonly national: readonly string[];
}

/** Shorter ones are extensions, or no telephone numbers. */
const nationalDigitsMin = 5;
/** E.164 allows 15 digits; some texts repeat a trunk prefix. */
const digitsMax = 20;

export type TelephoneReader = (text: string) => TelephoneNumber;

export async function loadTelephoneReader(): Promise<TelephoneReader> {
  const library = await import("libphonenumber-js/min");
  return (text) => readTelephone(text, library.parsePhoneNumberFromString);
}

type Parse = typeof parsePhoneNumberFromString;

function readTelephone(text: string, library: Parse): TelephoneNumber {
  const international = text.normalize("NFKC").replace(/^[\s(]*00(?=[\s()-]*[1-9])/, "+");
  const parsed = parse(international, library);
  if (parsed !== undefined) return parsed;
  const digits = international.replaceAll(/[^\d]/g, "").slice(0, digitsMax);
  // Without a plus, the digits may begin with the code of a country or not.
  const perhaps = digits.startsWith("0") ? undefined : parse(`+${digits}`, library);
  const national = [withoutTrunk(digits), ...(perhaps?.national ?? [])];
  return { full: undefined, national: national.filter((one) => one.length >= nationalDigitsMin) };
}

function parse(text: string, library: Parse): TelephoneNumber | undefined {
  const number = library(text);
  if (number === undefined) return undefined;
  return { full: number.number, national: [withoutTrunk(number.nationalNumber)] };
}

function withoutTrunk(digits: string): string {
  return digits.replace(/^0+/, "");
}
