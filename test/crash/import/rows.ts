// Files of transactions to import, with the outcome that each row has to have; and the comparison of what is in the
// store and of what the importer has left behind with these outcomes. Alters nothing.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Random } from "../../support/random.ts";
import type { Fields } from "../../support/record-generator.ts";
import type { Stored } from "../stored.ts";

export const formats = ["csv", "ndjson"] as const;
export type Format = (typeof formats)[number];

type Verdict = "written" | "unchanged" | "refused";
type Row = readonly [fields: Fields, verdict: Verdict];

/** By id: the submissions of each transaction that have to be stored, in order. */
export type Book = Map<string, Fields[]>;

export interface Input {
  readonly name: string;
  readonly text: string;
  readonly isUpdate: boolean;
  readonly counts: Readonly<Record<Verdict | "rows", number>>;
  /** Numbers of the rows that have to be refused, in order. */
  readonly refusedRows: readonly number[];
}

export interface InputOptions {
  readonly format: Format;
  readonly rows: number;
  readonly random: Random;
}

function transaction(number: number, amount: number): Fields {
  return {
    tx_id: `tx-${number}`,
    type: number % 2 === 0 ? "DEPOSIT" : "WITHDRAWAL",
    method: "SEPA",
    amount,
    currency: "EUR",
    status: "CREATED",
    sender_id: `person-${number % 500}`,
    sender_country: "DE",
    timestamp: "2026-01-31T09:30:00Z",
  };
}

/** Mostly new records; some repeated unchanged, some with a change, and some invalid. */
export function makeAdds(book: Book, { format, rows, random }: InputOptions): Input {
  const add = (number: number): Row => {
    const dice = random.next();
    const fields = transaction(number, number + 0.25);
    if (dice < 0.01) return [{ ...fields, currency: "money" }, "refused"];
    const earlier = random.integer(1, number);
    const changes = book.get(`tx-${earlier}`);
    const last = changes?.at(-1);
    if (dice < 0.02 && last !== undefined) return [last, "unchanged"];
    const isChange = dice < 0.03 && changes !== undefined;
    const written = isChange ? transaction(earlier, number + 0.5) : fields;
    if (isChange) changes.push(written);
    else book.set(`tx-${number}`, [written]);
    return [written, "written"];
  };
  return inputOf(`adds.${format}`, numbered(rows, add));
}

/** Several changes of each record, all different, so that one that is repeated shows; some of unknown records. */
export function makeUpdates(book: Book, { format, rows, random }: InputOptions): Input {
  const update = (number: number): Row => {
    const known = random.integer(1, Math.ceil(rows / 3));
    const fields = { ...transaction(known, 1_000_000 + number), status: "SETTLED" };
    const changes = book.get(`tx-${known}`);
    if (changes === undefined || random.chance(0.01)) {
      return [{ ...fields, tx_id: `unknown-${number}` }, "refused"];
    }
    changes.push(fields);
    return [fields, "written"];
  };
  return inputOf(`updates.${format}`, numbered(rows, update));
}

function numbered(rows: number, make: (number: number) => Row): readonly Row[] {
  return Array.from({ length: rows }, (_, index) => make(index + 1));
}

function inputOf(name: string, rows: readonly Row[]): Input {
  const all = rows.map(([fields]) => fields);
  const lines = name.endsWith("csv")
    ? [Object.keys(all[0] ?? {}), ...all.map(Object.values)].map((cells) => cells.join(","))
    : all.map((fields) => JSON.stringify(fields));
  const having = (wanted: Verdict) =>
    rows.flatMap(([, verdict], index) => (verdict === wanted ? [index + 1] : []));
  const [written, unchanged] = [having("written").length, having("unchanged").length];
  const refusedRows = having("refused");
  const counts = { rows: rows.length, written, unchanged, refused: refusedRows.length };
  return {
    name,
    text: `${lines.join("\n")}\n`,
    isUpdate: name.startsWith("u"),
    counts,
    refusedRows,
  };
}

/** The same file, after all of it has been imported: nothing more is written. */
export function importedAgain(input: Input): Input {
  const { written, unchanged, ...counts } = input.counts;
  return { ...input, counts: { ...counts, written: 0, unchanged: written + unchanged } };
}

/** Each record of the files has each of its changes once and in order, and nothing else is stored. */
export function compareBook(book: Book, { records, faults }: Stored): readonly string[] {
  const stored = new Map([...records].map(([key, one]) => [key.split("/").at(-1) ?? "", one]));
  const wrong = [...new Set([...book.keys(), ...stored.keys()])].filter((id) => {
    const [wanted, found] = [book.get(id) ?? [], stored.get(id)?.payloads ?? []];
    return found.length !== wanted.length || !wanted.every((one, at) => isSame(one, found[at]));
  });
  return [...faults, ...wrong.map((id) => `${id} has other changes than the files`)];
}

/** A default that the type adds, such as is_test, is not in the file. */
function isSame(wanted: Fields, payload = "{}"): boolean {
  const found = JSON.parse(payload) as Fields;
  return isDeepStrictEqual(found, { ...found, ...wanted });
}

/** What the last run of an import has reported, and left in the folder. */
export function checkReport(folder: string, input: Input, out: string): readonly string[] {
  const [file = {}] = (JSON.parse(out) as { files: Record<string, unknown>[] }).files;
  const [stem = "", format = ""] = input.name.split(".");
  const lines = readFileSync(join(folder, `${stem}.refused.${format}`), "utf8")
    .trimEnd()
    .split("\n");
  const refused = (format === "csv" ? lines.slice(1) : lines)
    .map((line) => Number(/(?:^|"sluice_row":)(\d+)/.exec(line)?.[1]))
    .toSorted((one, other) => one - other);
  const left = readdirSync(folder).filter((name) => name.includes("sluice-import"));
  return [
    ...Object.entries(input.counts)
      .filter(([name, wanted]) => file[name] !== wanted)
      .map(([name, wanted]) => `${input.name}: ${name} is ${String(file[name])}, not ${wanted}`),
    ...(isDeepStrictEqual(refused, input.refusedRows)
      ? []
      : [`${input.name}: ${refused.join(" ")} were refused, not ${input.refusedRows.join(" ")}`]),
    ...left.map((name) => `${name} was left behind`),
  ];
}
