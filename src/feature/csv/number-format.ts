// Reads numbers as other systems write them, in the format that a mapping names. Never rounds, and never guesses.

import { UsageError } from "../../actions/operator/operator-error.ts";
import { minorDigitsOf } from "../../domain/schema/codes.ts";
import { CellError, readCell, shown } from "./csv-cell.ts";

/** Undefined for a word that stands for no number. `currency`: that of the row, for minor units. */
export type ReadNumber = (text: string, currency: string) => unknown;

export const numberFormats = [
  { name: "point", examples: ["1,234.56", "$12", "(7.50)"], meaning: "decimal point" },
  { name: "comma", examples: ["1.234,56", "12 €", "7,50-"], meaning: "decimal comma" },
  {
    name: "minor:COLUMN",
    examples: ["1390"],
    meaning:
      "minor units of the currency in that column, with its digits in ISO 4217; `minor:=EUR` names the currency",
  },
] as const;

export interface NumberFormat {
  readonly read: ReadNumber;
  readonly currencyColumn: string | undefined;
}

/** Throws UsageError. */
export function compileNumberFormat(format: string): NumberFormat {
  if (format === "point" || format === "comma") {
    const read = readerOf(format === "point" ? [".", ","] : [",", "."]);
    return { read: (text) => read(text), currencyColumn: undefined };
  }
  const [, isConstant, name] = /^minor:(=?)(.+)$/.exec(format) ?? [];
  if (name === undefined) {
    throw new UsageError(
      `There is no number format "${format}". It is point (1,234.56), comma (1.234,56), minor:COLUMN or minor:=EUR.`,
    );
  }
  if (isConstant === "") return { read: readMinor, currencyColumn: name };
  if (minorDigitsOf(name) === undefined) {
    throw new UsageError(`There is no currency ${name} with minor units.`);
  }
  return { read: (text) => readMinor(text, name), currencyColumn: undefined };
}

/** What other systems write where there is no number. */
export const noNumber = /^(?:[-–—]|\(?null\)?|nan|n\/?a|none)?$/i;
const currency = String.raw`(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}|zł|Kč|kr\.?|Fr\.?|Ft)`;
const minus = "[-\u2212\u2013]";
/** The sign and the currency may be on either side, in any order that is in use. */
const signed = new RegExp(
  `^(?<open>\\()?(?<before>${minus}|\\+)?${currency}?(?<inside>${minus})?(?<number>[\\d.,][^A-Z\\p{Sc}()]*?)` +
    `${currency}?(?<after>${minus})?\\)?$`,
  "u",
);

function readerOf([decimal, other]: readonly [string, string]): (text: string) => unknown {
  // Groups of thousands never begin with 0, so that 0.125 with a decimal comma is not 125.
  const grouped = String.raw`[1-9]\d{0,2}(?<sign>[${other} '’])\d{3}(?:\k<sign>\d{3})*`;
  const plain = new RegExp(`^(?<whole>${grouped}|\\d*)(?:[${decimal}](?<fraction>\\d+))?$`);
  // Most numbers. The others take several times as long.
  const usual = new RegExp(
    String.raw`^-?(?:[1-9]\d{0,2}(?:[${other}]\d{3})+|\d+)(?:[${decimal}]\d+)?$`,
  );
  const mismatch = `must be a number written as ${decimal === "," ? "1.234,56" : "1,234.56"}, not `;
  return (given) => {
    if (usual.test(given)) {
      return readCell("number", given.replaceAll(other, "").replace(decimal, "."));
    }
    const text = given.replaceAll(/[\u00a0\u202f]/g, " ").trim();
    if (noNumber.test(text)) return undefined;
    const { number = "", isNegative } = unsigned(text) ?? {};
    const groups = number === "" ? undefined : plain.exec(number)?.groups;
    const { whole, fraction = "0" } = groups ?? {};
    if (whole === undefined) return new CellError(mismatch + shown(text));
    const digits = whole.replaceAll(/\D/g, "");
    return readCell("number", `${isNegative === true ? "-" : ""}${digits}.${fraction}`);
  };
}

function unsigned(text: string): { number: string; isNegative: boolean } | undefined {
  const spaced = text.replaceAll(/(?<!\d) | (?!\d)/g, "");
  const { open, before, inside, number, after } = signed.exec(spaced)?.groups ?? {};
  if (number === undefined || (open !== undefined) !== spaced.endsWith(")")) return undefined;
  const signs = [open, before, inside, after].filter((sign) => sign !== undefined);
  if (signs.length > 1) return undefined;
  return { number: number.trim(), isNegative: signs.length === 1 && before !== "+" };
}

function readMinor(text: string, given: string): unknown {
  const name = given.trim().toUpperCase();
  const digits = minorDigitsOf(name);
  if (digits === undefined) {
    return new CellError(
      `has no currency with minor units: ${JSON.stringify(name.slice(0, 40))} is not one`,
    );
  }
  const [, sign = "", units] = /^([-+]?)(\d{1,20})$/.exec(text.trim()) ?? [];
  if (noNumber.test(text.trim())) return undefined;
  if (units === undefined) {
    return new CellError(`must be a whole number of minor units, such as 1390`);
  }
  const padded = units.padStart(digits + 1, "0");
  const split = padded.length - digits;
  return readCell("number", `${sign}${padded.slice(0, split)}.${padded.slice(split)}`);
}
