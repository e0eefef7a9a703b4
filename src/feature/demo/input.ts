// The records that the demonstration sends, from rows with the columns of IBM's AMLSim. The rows come from CSV files,
// or are generated from a seed, so that a run can be repeated.

import type { RiskAssessment, Transaction } from "../../../client/src/sluice.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { openRows } from "../import/rows/open-rows.ts";
import { type RowInput, rowsOf } from "../../bulk/formats/row.ts";
import { openText } from "../../bulk/formats/text-input.ts";
import { makeRowMapper } from "../import/map/map-row.ts";
import { type Mapping, readMapItems } from "../import/map/mapping.ts";

interface Source {
  readonly typeName: string;
  readonly mapping: Mapping;
  readonly columns: readonly string[];
  /** The cells of a generated row. `random` returns a whole number from 0 up to but not including its argument. */
  readonly generate: (number: number, random: (below: number) => number) => readonly number[];
}

const transactions: Source = {
  typeName: "transaction",
  mapping: new Map(
    readMapItems(
      "tx_id=~tx-{#},type==DEPOSIT,method==INTERNAL_TRANSFER,amount=value,currency==USD,status==CREATED," +
        "sender_id=~person-{sourceNodeId},sender_country==US,receiver_id=~person-{targetNodeId},receiver_country==US," +
        "timestamp=time@days:2025-01-01",
    ),
  ),
  columns: ["sourceNodeId", "targetNodeId", "value", "time"],
  generate: (number, random) => [random(500), random(500), random(100_000) / 100, number / 1e5],
};

const accounts: Source = {
  typeName: "risk_assessment",
  mapping: new Map([
    ...readMapItems(
      "assessment_id=~assessment-{nodeid},type==account risk band,related_person_id=~person-{nodeid}," +
        "timestamp==2025-01-01T00:00:00Z",
    ),
    ["outcome", { column: "isFraud", values: { 1: "HIGH", true: "HIGH" }, otherwise: "LOW" }],
    ["additional_properties.init_balance", { column: "init_balance", type: "NUMBER" }],
  ]),
  columns: ["nodeid", "isFraud", "init_balance"],
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
  const type = findType(source.typeName);
  const csv = { type, format: "csv", layout: {} } as const;
  const input =
    file === undefined ? generateRows(source, seed) : await openRows(openText(file), csv);
  const mapper = makeRowMapper(input, { type, mapping: source.mapping, update: false });
  return (async function* () {
    for await (const row of rowsOf(input)) {
      const mapped = mapper.map(row);
      if ("fieldErrors" in mapped) {
        const why = mapped.fieldErrors.map(({ field = "", message }) => `${field} ${message}`);
        throw new OperatorError("input", `${file}, row ${row.number}: ${why.join("; ").trim()}.`);
      }
      for (const { payload } of mapped.submissions) yield payload as Item;
      if (row.number >= rowsMax) return;
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
