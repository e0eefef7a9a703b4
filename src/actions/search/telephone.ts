// Telephone numbers as ITU-T E.164 writes them, for the search. The numbering plans of all countries are data of a
// library, which is imported here only, and loaded when it is first needed.

import type { parsePhoneNumber } from "awesome-phonenumber";

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
  const library = await import("awesome-phonenumber");
  return (text) => readTelephone(text, library.parsePhoneNumber);
}

type Parse = typeof parsePhoneNumber;

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
  const { number, possible } = library(text);
  if (number === undefined || !possible) return undefined;
  return { full: number.e164, national: [withoutTrunk(number.significant)] };
}

function withoutTrunk(digits: string): string {
  return digits.replace(/^0+/, "");
}
