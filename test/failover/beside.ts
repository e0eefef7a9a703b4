// What goes on beside the writers of a round: a stream that is sent again until its summary says that it was read to
// its end, and an import as a process of its own, which may be killed and is then started again. Both have every line
// stored once.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProgram } from "../cli/program.ts";
import { typeNamed } from "../crash/families.ts";
import { newRecord, type Sender } from "../crash/sender.ts";
import { count, type CrashRound } from "../crash/site.ts";
import { linesOf, openStream } from "../support/stream-client.ts";
import { waitFor } from "../support/wait-for.ts";
import type { FailoverSite } from "./site.ts";

const streamLines = 1_000;
const linesAtOnce = 5;
const importLines = 2_000;
const confirmedMsMax = 240_000;

/** Sends slowly until the fault is over, so that the fault falls into it. */
export async function streamBeside(
  site: FailoverSite,
  sender: Sender,
  { random, figures, isOver }: CrashRound & { readonly isOver: () => boolean },
): Promise<void> {
  const { lines, confirm } = makeTransactions(sender, streamLines);
  const { address } = random.pick(site.processes);
  const sendAll = async (): Promise<boolean> => {
    count(figures, "streams sent");
    try {
      const path = "/v2/transactions/batch";
      const stream = openStream(address, { method: "POST", path, token: sender.token });
      for (let from = 0; from < lines.length; from += linesAtOnce) {
        await stream.write(`${lines.slice(from, from + linesAtOnce).join("\n")}\n`);
        if (!isOver()) await sleep(50);
      }
      const said = linesOf(await stream.end());
      const { success, ...summary } = said.at(-1) ?? {};
      if (success === true) confirm("the stream", summary);
      return success === true;
    } catch {
      return false;
    }
  };
  count(figures, "streams");
  const waiting = { timeoutMs: confirmedMsMax, intervalMs: 200 };
  await waitFor("a stream to be read to its end", sendAll, waiting);
}

/** Kills it once in every other round. */
export async function importBeside(
  site: FailoverSite,
  sender: Sender,
  { kill, random, figures }: CrashRound,
): Promise<void> {
  const { lines, confirm } = makeTransactions(sender, importLines);
  const file = join(site.folder, `import-${kill}.ndjson`);
  writeFileSync(file, `${lines.join("\n")}\n`);
  const { address } = random.pick(site.processes);
  const { apiKey, organizationId } = sender.customer;
  const words = ["import", file, "--type", "transaction", "--organization", organizationId];
  const start = () =>
    startProgram([...words, "--url", address, "--json"], { SLUICE_API_KEY: apiKey });
  count(figures, "imports");
  const first = start();
  const killing = random.chance(0.5)
    ? sleep(random.integer(300, 4_000)).then(() => first.child.kill("SIGKILL"))
    : undefined;
  let { code, out, err } = await first.ended;
  await killing;
  if (code === -1) {
    count(figures, "imports killed");
    ({ code, out, err } = await start().ended);
  }
  if (code === 0) {
    const [report] = (JSON.parse(out) as { files: Record<string, unknown>[] }).files;
    confirm("the import", {
      ...report,
      received: report?.["rows"],
      write_count: report?.["written"],
    });
  } else sender.ledger.findings.push(`the import ended with ${code}: ${err}`);
}

/** Of which nothing is deleted, each noted before it is sent. */
function makeTransactions(sender: Sender, amount: number) {
  const made = Array.from({ length: amount }, () => newRecord(sender, typeNamed("transaction")));
  const changes = made.map(({ record, payload }) => sender.ledger.change(record, payload));
  const confirm = (what: string, said: Readonly<Record<string, unknown>>): void => {
    const { received, refused, write_count: written, unchanged } = said;
    const isRight = received === amount && refused === 0;
    if (isRight && Number(written) + Number(unchanged) === amount) {
      for (const change of changes) change.standing = "stored";
    } else sender.ledger.findings.push(`${what} of ${amount} said ${JSON.stringify(said)}`);
  };
  return { lines: made.map(({ payload }) => JSON.stringify(payload)), confirm };
}
