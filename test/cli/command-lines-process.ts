// A process that runs command lines sequentially, for tests that run them as another user. Receives
// them as one argument in JSON, and prints their outcomes as JSON.

import { run } from "../../src/cli/run.ts";
import { loadTable } from "../../src/process/command-table.ts";
import type { Outcome } from "./command-line.ts";

const lines = JSON.parse(process.argv[2] ?? "[]") as readonly (readonly string[])[];
const outcomes: Outcome[] = [];
for (const words of lines) {
  let out = "";
  let err = "";
  const code = await run(loadTable, words, {
    environment: process.env,
    out: { write: (text) => (out += text) },
    err: { write: (text) => (err += text) },
  });
  outcomes.push({ code, out, err });
}
process.stdout.write(JSON.stringify(outcomes));
