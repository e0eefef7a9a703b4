// Files of transactions to import, and with each the expected content of the store and of the file
// of rejected rows once the whole file is imported. Touches no store.

import type { Random } from "../../support/random.ts";

export const formats = ["csv", "ndjson"] as const;
export type Format = (typeof formats)[number];

export type Transaction = Readonly<Record<string, string | number>>;

/** By id: the submissions of each record that have to be stored, in order. */
export type Book = Map<string, Transaction[]>;

export interface Input {
  readonly name: string;
  readonly text: string;
  readonly update: boolean;
  readonly counts: {
    readonly rows: number;
    readonly written: number;
    readonly unchanged: number;
    readonly refused: number;
  };
  /** Numbers of the rows that have to be rejected, in order. */
  readonly refusedRows: readonly number[];
}

type GroupEvaluation = "written" | "unchanged" | "refused";

/** Mostly new records; some repeated unchanged, some with a change, and some invalid. */
export function makeAdds(book: Book, { format, rows, random }: InputOptions): Input {
  const write = new InputWriter(format);
  const ids: string[] = [];
  for (let row = 1; row <= rows; row += 1) {
    const again = ids.length > 0 && random.chance(0.02) ? random.pick(ids) : undefined;
    const changes = again === undefined ? undefined : book.get(again);
    const last = changes?.at(-1);
    if (last !== undefined && random.chance(0.5)) {
      write.add(last, "unchanged");
    } else if (last !== undefined) {
      const change = { ...last, amount: row + 0.5 };
      changes?.push(change);
      write.add(change, "written");
    } else if (random.chance(0.01)) {
      write.add({ ...makeTransaction(row, random), currency: "money" }, "refused");
    } else {
      const made = makeTransaction(row, random);
      ids.push(idOf(made));
      book.set(idOf(made), [made]);
      write.add(made, "written");
    }
  }
  return write.end(`adds.${format}`, false);
}

/**
 * Several changes a record, each different from all others, so that a duplicate can be detected;
 * some of unknown records.
 */
export function makeUpdates(book: Book, { format, rows, random }: InputOptions): Input {
  const write = new InputWriter(format);
  const ids = [...book.keys()].slice(0, Math.ceil(rows / 3));
  for (let row = 1; row <= rows; row += 1) {
    const changes = book.get(random.pick(ids));
    const last = changes?.at(-1);
    if (changes === undefined || last === undefined || random.chance(0.01)) {
      write.add({ ...makeTransaction(row, random), tx_id: `unknown-${row}` }, "refused");
      continue;
    }
    const change = { ...last, amount: 1_000_000 + row, status: "SETTLED" };
    changes.push(change);
    write.add(change, "written");
  }
  return write.end(`updates.${format}`, true);
}

/** The same file, after all of it has been imported: nothing more is written. */
export function importedAgain(input: Input): Input {
  const { written, unchanged, ...counts } = input.counts;
  return { ...input, counts: { ...counts, written: 0, unchanged: written + unchanged } };
}

export interface InputOptions {
  readonly format: Format;
  readonly rows: number;
  readonly random: Random;
}

export function idOf({ tx_id: id }: Transaction): string {
  return String(id);
}

function makeTransaction(row: number, random: Random): Transaction {
  const day = String(random.integer(1, 28)).padStart(2, "0");
  return {
    tx_id: `tx-${row}`,
    type: random.pick(["DEPOSIT", "WITHDRAWAL"]),
    method: random.pick(["SEPA", "SWIFT", "CARD"]),
    amount: row + 0.25,
    currency: random.pick(["EUR", "USD"]),
    status: "CREATED",
    sender_id: `person-${random.integer(1, 500)}`,
    sender_country: "DE",
    timestamp: `2026-01-${day}T09:30:00Z`,
  };
}

/** Writes the rows, and records the expected outcome of each. */
class InputWriter {
  readonly #format: Format;
  readonly #lines: string[] = [];
  readonly #counts = { rows: 0, written: 0, unchanged: 0, refused: 0 };
  readonly #refusedRows: number[] = [];

  constructor(format: Format) {
    this.#format = format;
  }

  add(transaction: Transaction, verdict: GroupEvaluation): void {
    if (this.#format === "csv" && this.#lines.length === 0)
      this.#lines.push(Object.keys(transaction).join(","));
    this.#lines.push(
      this.#format === "csv" ? Object.values(transaction).join(",") : JSON.stringify(transaction),
    );
    this.#counts.rows += 1;
    this.#counts[verdict] += 1;
    if (verdict === "refused") this.#refusedRows.push(this.#counts.rows);
  }

  end(name: string, update: boolean): Input {
    return {
      name,
      update,
      text: `${this.#lines.join("\n")}\n`,
      counts: this.#counts,
      refusedRows: this.#refusedRows,
    };
  }
}
