// Reads Parquet files in a process of its own, as an import does, and reports what became of each and the peak of its
// memory.

import { openParquet } from "../../../src/bulk/formats/parquet-rows.ts";
import { rowsOf } from "../../../src/bulk/formats/row.ts";
import { openText } from "../../../src/bulk/formats/text-input.ts";
import { OperatorError } from "../../../src/actions/operator/operator-error.ts";
import { bulkHeap, limitHeap } from "../../../src/cli/v8-flags.ts";
import { recordTypeByName } from "../../../src/domain/record-types.ts";

limitHeap(bulkHeap);

const rowsMax = 300;
const columnsMax = 40;

export interface ReadReport {
  /** For each file: the number of rows, or why it can't be read. */
  readonly outcomes: readonly (number | string)[];
  /** What is no error of the file. */
  readonly findings: readonly string[];
  readonly peakBytes: number;
}

const type = recordTypeByName("transaction");
if (type === undefined) throw new TypeError("there are no transactions");

async function readFile(path: string): Promise<number> {
  const input = await openParquet(openText(path), recordType);
  const { typedColumns = new Map<string, string | undefined>() } = input;
  const readable = [...typedColumns].filter(([, error]) => error === undefined);
  let count = 0;
  const names = readable.slice(0, columnsMax).map(([name]) => name);
  for await (const row of rowsOf(input, new Set(names))) {
    JSON.stringify(row);
    count += 1;
    if (count >= rowsMax) break;
  }
  return count;
}

const recordType = type;
const outcomes: (number | string)[] = [];
const findings: string[] = [];
for (const path of process.argv.slice(2)) {
  try {
    outcomes.push(await readFile(path));
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    outcomes.push(error instanceof OperatorError ? error.message : text);
    if (!(error instanceof OperatorError)) findings.push(`${path}: ${text}`);
  }
}
const peakBytes = process.resourceUsage().maxRSS * 1_024;
process.stdout.write(JSON.stringify({ outcomes, findings, peakBytes } satisfies ReadReport));
