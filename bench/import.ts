// `npm run bench -- import`: imports a million generated transactions from a CSV file over HTTP into a new store, and
// measures the resident memory of server and importer; then imports the same file again, which must write nothing.
// Fails if a count is wrong or a process exceeds its memory limit.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeRandom } from "../test/support/random.ts";
import { startServer } from "./child.ts";
import { watchMemory } from "./memory.ts";

const mebibyte = 1_024 * 1_024;
const megabyte = 1_000_000;
const bytesMax = 300 * megabyte;
const organizationId = "bench";
const program = join(import.meta.dirname, "../src/cli/main.ts");

interface Run {
  readonly rows: number;
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  readonly importerBytes: number;
  readonly serverBytes: number;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "1000000" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
    },
  });
  const [rows, seed] = [Number(values.rows), Number(values.seed)];
  if (!(Number.isSafeInteger(rows) && rows > 0)) throw new Error("--rows must be a whole number");
  return { rows, seed, json: values.json };
}

/** With column names that need a mapping, as banks send them. */
function writeCsv(path: string, { rows, seed }: { rows: number; seed: number }): void {
  const random = makeRandom(seed);
  const file = openSync(path, "w");
  let text =
    "TXN_ID,direction,scheme,value,ccy,state,payer,payer_country,payee,payee_country,booked\n";
  for (let row = 1; row <= rows; row += 1) {
    const cells = [
      `tx-${row}`,
      random.pick(["DEPOSIT", "WITHDRAWAL"]),
      random.pick(["SEPA", "SWIFT", "CARD", "WIRE"]),
      (random.integer(0, 9_999_999) / 100).toFixed(2),
      random.pick(["EUR", "USD", "GBP"]),
      random.pick(["CREATED", "SETTLED", "PENDING"]),
      `person-${random.integer(0, 49_999)}`,
      random.pick(["DE", "FR", "US", "GB"]),
      `person-${random.integer(0, 49_999)}`,
      random.pick(["DE", "FR", "US", "GB"]),
      String(1_767_225_600 + random.integer(0, 7_775_999)),
    ];
    text += `${cells.join(",")}\n`;
    if (text.length > mebibyte || row === rows) {
      writeSync(file, text);
      text = "";
    }
  }
  closeSync(file);
}

const map =
  "tx_id=TXN_ID,type=direction,method=scheme,amount=value,currency=ccy,status=state,sender_id=payer," +
  "sender_country=payer_country,receiver_id=payee,receiver_country=payee_country,timestamp=booked@unix";

function command(environment: NodeJS.ProcessEnv, words: readonly string[]) {
  const output = execFileSync(process.execPath, [program, ...words, "--json"], {
    env: { ...process.env, ...environment },
    encoding: "utf8",
  });
  return JSON.parse(output) as Readonly<Record<string, unknown>>;
}

/** Runs one command as a child process, and watches the memory of it and of the server. */
async function runImport(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  serverPid: number,
): Promise<Run> {
  const child = spawn(process.execPath, [program, "import", ...words, "--json"], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const watches = [child.pid ?? 0, serverPid].map(watchMemory);
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  const [importer, server] = watches;
  for (const watch of watches) watch.stop();
  if (code !== 0) throw new Error(`the import ended with ${code}: ${out}`);
  const [file] = (JSON.parse(out) as { files: [Record<string, number>] }).files;
  return {
    rows: file["rows"] ?? Number.NaN,
    written: file["written"] ?? Number.NaN,
    unchanged: file["unchanged"] ?? Number.NaN,
    refused: file["refused"] ?? Number.NaN,
    seconds: file["seconds"] ?? Number.NaN,
    rowsPerSecond: file["rows_per_second"] ?? Number.NaN,
    importerBytes: importer?.peakBytes() ?? Number.NaN,
    serverBytes: server?.peakBytes() ?? Number.NaN,
  };
}

interface Outcome {
  readonly first: Run;
  readonly again: Run;
  readonly csvBytes: number;
  /** The count in the store after each of the two. */
  readonly records: readonly [number, number];
}

async function measure(folder: string, options: { rows: number; seed: number }): Promise<Outcome> {
  const csv = join(folder, "transactions.csv");
  writeCsv(csv, options);
  const environment = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: `sqlite:${join(folder, "sluice.db")}`,
    DATA_DIR: folder,
    NODE_ENV: "production",
    LOG_LEVEL: "warn",
  };
  command(environment, ["organization", "create", "--name", "Bench", "--id", organizationId]);
  const key = command(environment, ["key", "create", "--organization", organizationId]);
  const server = await startServer([program, "serve"], environment);
  try {
    const url = `http://127.0.0.1:${server.port}`;
    const words = [
      csv,
      "--type",
      "transaction",
      "--organization",
      organizationId,
      "--url",
      url,
      "--map",
      map,
    ];
    const importing = { SLUICE_API_KEY: String(key["api_key"]) };
    const first = await runImport(words, importing, server.pid);
    const afterFirst = countRecords(environment);
    const again = await runImport(words, importing, server.pid);
    const records = [afterFirst, countRecords(environment)] as const;
    return { first, again, csvBytes: statSync(csv).size, records };
  } finally {
    await server.stop();
  }
}

function countRecords(environment: NodeJS.ProcessEnv): number {
  const { records } = command(environment, ["organization", "show", organizationId]);
  return (records as Readonly<Record<string, number>>)["transaction"] ?? 0;
}

function findFaults({ first, again, records }: Outcome, rows: number): readonly string[] {
  const faults: string[] = [];
  const expect = (what: string, found: number, wanted: number): void => {
    if (found !== wanted) faults.push(`${what}: ${found} instead of ${wanted}`);
  };
  expect("written at first", first.written, rows);
  expect("written again", again.written, 0);
  expect("there already", again.unchanged, rows);
  expect("records after the first import", records[0], rows);
  expect("records after the second import", records[1], rows);
  for (const bytes of [first.importerBytes, again.importerBytes]) {
    if (!(bytes < bytesMax)) faults.push(`the importer had ${inMegabytes(bytes)}`);
  }
  if (!(again.serverBytes < bytesMax))
    faults.push(`the server had ${inMegabytes(again.serverBytes)}`);
  return faults;
}

function inMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(0)} MB`;
}

function render({ first, again, csvBytes, records }: Outcome): string {
  const row = (name: string, run: Run): string =>
    [
      `| ${name}`,
      run.rows.toLocaleString("en"),
      run.written.toLocaleString("en"),
      run.unchanged.toLocaleString("en"),
      run.seconds.toFixed(1),
      run.rowsPerSecond.toLocaleString("en"),
      inMegabytes(run.importerBytes),
      `${inMegabytes(run.serverBytes)} |`,
    ].join(" | ");
  return `${inMegabytes(csvBytes)} of CSV over HTTP into a new SQLite store, ${availableParallelism()} cores
shared by server and importer, Node ${process.version}. Memory is the resident peak; the limit is ${inMegabytes(bytesMax)}.

| import | rows | written | unchanged | seconds | rows/s | importer | server |
|:-------|-----:|--------:|--------------:|--------:|-------:|---------:|-------:|
${row("first", first)}
${row("again", again)}

Records in the store: ${records.map((count) => count.toLocaleString("en")).join(" after the first, ")} after the second.
`;
}

async function main(): Promise<number> {
  const { json, ...options } = readOptions();
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-import-"));
  try {
    const outcome = await measure(folder, options);
    process.stdout.write(json ? `${JSON.stringify(outcome)}\n` : render(outcome));
    const faults = findFaults(outcome, options.rows);
    for (const fault of faults) process.stderr.write(`${fault}\n`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
