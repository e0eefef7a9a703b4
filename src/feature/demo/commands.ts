// `sluice demo`

import { OperatorError } from "../../actions/operator/operator-error.ts";
import { defineCommand, optional, withDefault } from "../../cli/command.ts";
import { text, wholeNumber } from "../../cli/input/kinds.ts";
import { runUntilStopped } from "../../cli/stop-signal.ts";

export const heading = "Service";

const demo = defineCommand({
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
  forNewcomers: "shows the whole service at work with a few thousand transactions.",
  rights: [],
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
      wholeNumber("N", 1, 10_000_000),
      "Number of transactions to generate (default: 5000), or the maximum to read from the file.",
    ),
    seed: withDefault(wholeNumber("N", 0, 2 ** 32 - 1), "Seed of the generated records.", "1"),
    keep: optional(text("DIR"), "Keep the store in this folder, which must be empty or not exist."),
  },
  run: async (context, { keep, ...given }) => {
    const { openInput } = await import("./input.ts");
    const { describeReport, runDemo } = await import("./run-demo.ts");
    const input = await openInput(given);
    const stopped = new OperatorError("stopped", "The demonstration was stopped.");
    const report = await runUntilStopped(
      (signal) => runDemo(context, { ...input, keep, signal }),
      stopped,
    );
    return { json: report, text: describeReport(report) };
  },
});

export const commands = [demo];
