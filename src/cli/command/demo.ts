// `sluice demo`

import { OperatorError } from "../../actions/operator-error.ts";
import { defineCommand, optional, withDefault } from "../command.ts";
import {
  generateAssessments,
  generateTransactions,
  readAccounts,
  readTransactions,
} from "../demo/input.ts";
import { describeReport, viewReport } from "../demo/report.ts";
import { runDemo } from "../demo/run-demo.ts";
import { text, wholeNumber } from "../input/kinds.ts";
import { awaitStopSignal } from "../stop-signal.ts";

const countDefault = 5_000;
const countMax = 10_000_000;

export const demo = defineCommand({
  name: "demo",
  summary: "Run a demonstration of the whole service, with measurements.",
  details:
    "Starts a server on a free port with a temporary store, creates an organization and a key, and then uses only the HTTP " +
    "API: a token, transactions in batches, checks, alerts, risk assessments, updates out of order, existence checks, " +
    "deletions until they are completed, and a check that nothing is left. Verifies every reply and fails at the first " +
    "wrong one. CSV files may be gzipped (.gz) and have the columns of IBM AMLSim.",
  examples: [
    "sluice demo",
    "sluice demo --transactions transactions.csv.gz --accounts accounts.csv.gz",
  ],
  arguments: {},
  options: {
    transactions: optional(
      text("FILE"),
      "CSV file with sourceNodeId, targetNodeId, value, and time in days.",
    ),
    accounts: optional(
      text("FILE"),
      "CSV file with nodeid, isFraud and init_balance, for risk assessments.",
    ),
    count: optional(
      wholeNumber("N", 1, countMax),
      `Number of transactions to generate (default: ${countDefault}), or the most to read from the file.`,
    ),
    seed: withDefault(wholeNumber("N", 0, 2 ** 32 - 1), "Seed of the generated records.", "1"),
    keep: optional(text("DIR"), "Keep the store in this folder, which must be empty or not exist."),
  },
  run: async (context, { keep, ...given }) => {
    const input = await openInput(given);
    const stop = awaitStopSignal();
    const stopping = new AbortController();
    const stopped = new OperatorError("stopped", "The demonstration was stopped.");
    void stop.received.then(() => stopping.abort(stopped));
    try {
      const report = await runDemo(context, { ...input, keep, signal: stopping.signal });
      return { json: viewReport(report), text: describeReport(report) };
    } finally {
      stop.release();
    }
  },
});

interface Given {
  readonly transactions: string | undefined;
  readonly accounts: string | undefined;
  readonly count: number | undefined;
  readonly seed: number;
}

/** Opens files before anything is started; generates what no file is given for. */
async function openInput({ transactions, accounts, count, seed }: Given) {
  const files = [transactions, accounts].filter((file) => file !== undefined);
  const generated = count ?? countDefault;
  const origin = files.length === 2 ? files : [...files, `generated from seed ${seed}`];
  return {
    transactions:
      transactions === undefined
        ? generateTransactions(generated, seed)
        : await readTransactions(transactions, count ?? countMax),
    assessments:
      accounts === undefined ? generateAssessments(generated, seed) : await readAccounts(accounts),
    origin: origin.join(" and "),
  };
}
