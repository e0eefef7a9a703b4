// The records that the demonstration sends, from rows with the columns of IBM's AMLSim. The rows come from CSV files,
// or are generated from a seed, so that a run can be repeated.

import type { RiskAssessment, Transaction } from "../../../client/src/sluice.ts";
import { CellError, readCell } from "../csv/csv-cell.ts";
import { openCsv } from "../csv/csv-rows.ts";
import { type RowInput, rowsOf } from "../csv/row.ts";
import { openText } from "../csv/text-input.ts";
import { compileTimeFormat } from "../csv/time-format.ts";
import { inputError } from "../csv/input-error.ts";

interface Source {
  readonly columns: readonly string[];
  /** Makes the fields of a record from the cells of a row. */
  readonly read: (cells: readonly string[], number: number) => Readonly<Record<string, unknown>>;
  /** The cells of a generated row. `random` returns a whole number from 0 up to but not including its argument. */
  readonly generate: (number: number, random: (below: number) => number) => readonly number[];
}

const readTime = compileTimeFormat("days:2025-01-01", "date-time");

const transactions: Source = {
  columns: ["sourceNodeId", "targetNodeId", "value", "time"],
  read: ([sender, receiver, value = "", time = ""], number) => ({
    tx_id: `tx-${number}`,
    type: "DEPOSIT",
    method: "INTERNAL_TRANSFER",
    amount: readCell("number", value),
    currency: "USD",
    status: "CREATED",
    sender_id: `person-${sender}`,
    sender_country: "US",
    receiver_id: `person-${receiver}`,
    receiver_country: "US",
    timestamp: readTime(time.trim()),
  }),
  generate: (number, random) => [random(500), random(500), random(100_000) / 100, number / 1e5],
};

const accounts: Source = {
  columns: ["nodeid", "isFraud", "init_balance"],
  read: ([id, isFraud = "", value]) => ({
    assessment_id: `assessment-${id}`,
    type: "account risk band",
    related_person_id: `person-${id}`,
    timestamp: "2025-01-01T00:00:00Z",
    outcome: isFraud === "1" || isFraud === "true" ? "HIGH" : "LOW",
    additional_properties: [{ key: "init_balance", value, type: "NUMBER" }],
  }),
  generate: (number, random) => [number, random(20) === 0 ? 1 : 0, random(100_000) / 100],
};

export interface InputOptions {
  /** CSV files. Without one, rows are generated. */
  readonly transactions?: string | undefined;
  readonly accounts?: string | undefined;
  readonly count?: number | undefined;
  readonly seed: number;
}

/** Throws OperatorError if a file can't be opened or lacks a column, and later if a row can't be read. */
export async function openInput({ seed, count, ...files }: InputOptions) {
  const generated = count ?? 5_000;
  const people = Math.max(10, Math.ceil(generated / 10));
  const origin = [files.transactions, files.accounts].filter((file) => file !== undefined);
  if (origin.length < 2) origin.push(`generated from seed ${seed}`);
  const rowsMax = files.transactions === undefined ? generated : (count ?? Infinity);
  return {
    transactions: await read<Transaction>(transactions, files.transactions, { seed, rowsMax }),
    assessments: await read<RiskAssessment>(accounts, files.accounts, {
      seed,
      rowsMax: files.accounts === undefined ? people : Infinity,
    }),
    origin: origin.join(" and "),
  };
}

async function read<Item>(
  source: Source,
  file: string | undefined,
  { seed, rowsMax }: { seed: number; rowsMax: number },
): Promise<AsyncIterable<Item>> {
  const input = file === undefined ? generateRows(source, seed) : await openCsv(openText(file), {});
  const { columns = [] } = input;
  const missing = source.columns.find((column) => !columns.includes(column));
  if (missing !== undefined) {
    throw inputError(`${file} has no column "${missing}"; it has: ${columns.join(", ")}`);
  }
  const positions = source.columns.map((column) => columns.indexOf(column));
  const damaged = (number: number, why: string) => inputError(`${file}, row ${number}: ${why}.`);
  return (async function* () {
    for await (const row of rowsOf(input)) {
      if (!("cells" in row)) throw damaged(row.number, "it is not CSV");
      const { cells, number } = row;
      if (cells.length !== columns.length) throw damaged(number, `has ${cells.length} cells`);
      const fields = source.read(
        positions.map((at) => cells[at] ?? ""),
        number,
      );
      for (const [name, value] of Object.entries(fields)) {
        if (value instanceof CellError) throw damaged(number, `${name} ${value.message}`);
      }
      yield fields as Item;
      if (number >= rowsMax) return;
    }
  })();
}

/** Rows without end, from a linear congruential generator (Numerical Recipes). */
function generateRows({ columns, generate }: Source, seed: number): RowInput {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const batches = async function* () {
    for (let number = 1; ; number += 1)
      yield [{ number, cells: generate(number, random).map(String) }];
  };
  return { format: "csv", columns, batches };
}
