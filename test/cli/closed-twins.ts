// Two organizations that are closed and otherwise the same, of which one has a report that has to be kept: what is
// stated of them without what is confidential has to be the same.

import { makeKey, replaceKey } from "../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../src/settings/config.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeCommandLine } from "./command-line.ts";
import { processAll as processAllOf } from "./process-all.ts";
import { addRecord } from "./write-transactions.ts";

export const clock = makeFakeClock(Date.UTC(2026, 2, 1));
export const line = makeCommandLine({ now: clock.now });
replaceKey(readConfig(line.environment), makeKey());
export const dayMs = 86_400_000;

/** The second one has a report, which has to be kept for decades. */
export type Twins = readonly [plain: string, reported: string];

export async function inBoth(twins: Twins, words: string): Promise<void> {
  for (const organization of twins) await line.ask(words, "--organization", organization);
}

export async function makeTwins(name: string): Promise<Twins> {
  const twins = [`${name}-plain`, `${name}-reported`] as const;
  for (const id of twins) await line.ask("organization create --name Acme --id", id);
  await line.beside(async (app) => {
    const timestamp = new Date(clock.now() - 28 * dayMs).toISOString();
    const flags = { is_test_user: false, is_retail_customer: true };
    for (const organization of twins) {
      const fields = { person_id: "p1", name: "Ada Example", ...flags, timestamp };
      await addRecord(app, organization, { type: "person", fields });
    }
    const report = { sar_id: "s1", status: "FILED", related_person_id: "p1", timestamp };
    await addRecord(app, twins[1], { type: "customer_sar", fields: report });
  });
  await inBoth(twins, "retention set --type customer_sar --keep-days 30000");
  return twins;
}

export async function close(twins: Twins): Promise<void> {
  clock.advanceMs(1_000);
  await inBoth(twins, "organization close --yes --reason ended");
  clock.advanceMs(1_000);
}

export const processAll = (): Promise<void> => processAllOf(line);
