// What a search and an answer state of a closed organization without what is confidential: the same whether or not
// there is a report, which keeps the records of one of two organizations that are otherwise the same.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../src/actions/app.ts";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import { makeKey, replaceKey } from "../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../src/settings/config.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { operate } from "../support/server.ts";
import { makeCommandLine } from "./command-line.ts";
import { addRecord } from "./write-transactions.ts";

const clock = makeFakeClock(Date.UTC(2026, 2, 1));
const line = makeCommandLine({ now: clock.now });
replaceKey(readConfig(line.environment), makeKey());
const dayMs = 86_400_000;

/** The second one has a report, which has to be kept for decades. */
type Twins = readonly [plain: string, reported: string];

async function inBoth(twins: Twins, words: string): Promise<void> {
  for (const organization of twins) await line.ask(words, "--organization", organization);
}

function act<Result>(work: (app: App) => Promise<Result>): Promise<Result> {
  return operate(line.environment, (app) => work({ ...app, now: clock.now }));
}

async function makeTwins(name: string): Promise<Twins> {
  const twins = [`${name}-plain`, `${name}-reported`] as const;
  for (const id of twins) await line.ask("organization create --name Acme --id", id);
  await act(async (app) => {
    const timestamp = "2026-02-01T00:00:00Z";
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

async function close(twins: Twins): Promise<void> {
  clock.advanceMs(1_000);
  await inBoth(twins, "organization close --yes --reason ended");
  clock.advanceMs(1_000);
}

async function processAll(): Promise<void> {
  await act(async (app) => {
    const options = { claimant: "test", stopping: new AbortController().signal };
    while ((await processDeletions(app, options)).length > 0);
  });
}

/** What is said without what is confidential, which has to be the same of both. Returns the kind of relationship. */
async function askBoth(twins: Twins): Promise<unknown> {
  const texts = [];
  for (const organization of twins) {
    const said = [];
    for (const words of [
      "subject answer person p1 --reason r",
      "subject answer person p2 --reason r --json",
      "subject find --name Ada --reason r",
      "subject find --name Nobody --reason r --json",
    ]) {
      const { code, out, err } = await line.type(words, "--organization", organization);
      said.push(`${words}: ${code} ${out}${err}`);
    }
    texts.push(said.join("\n").replaceAll(organization, "<organization>"));
  }
  assert.equal(texts[1], texts[0]);
  const found = await line.ask("subject find --name Ada --reason r --organization", twins[1]);
  const answer = await line.ask("subject answer person p1 --reason r --organization", twins[1]);
  const isStated = answer["relationship"] !== "not_stated";
  assert.deepEqual(
    [found["total"], found["incomplete"] === null],
    isStated ? [1, true] : [0, false],
  );
  return answer["relationship"];
}

async function askOfficer(organization: string): Promise<unknown> {
  const words = "subject answer person p1 --reason r --include-confidential --organization";
  return (await line.ask(words, organization))["relationship"];
}

describe("a closed organization", () => {
  it("is answered about while records that are not confidential keep it, and then no more", async () => {
    const twins = await makeTwins("floor");
    await inBoth(twins, "retention set --type person --keep-days 100");
    await close(twins);
    await processAll();
    assert.equal(await askBoth(twins), "exists");
    clock.advanceMs(200 * dayMs);
    assert.equal(await askBoth(twins), "not_stated");
    await processAll();
    assert.equal(await askBoth(twins), "not_stated");
    assert.deepEqual([await askOfficer(twins[0]), await askOfficer(twins[1])], ["none", "exists"]);
  });

  it("is answered about while an account that was never closed has to be kept from the closing on", async () => {
    const twins = await makeTwins("account");
    await inBoth(twins, "retention set --type person --keep-days 100 --from closed");
    await close(twins);
    await processAll();
    clock.advanceMs(90 * dayMs);
    assert.equal(await askBoth(twins), "exists");
    clock.advanceMs(20 * dayMs);
    await processAll();
    assert.equal(await askBoth(twins), "not_stated");
  });

  it("is answered about while a hold from before the closing keeps it", async () => {
    const twins = await makeTwins("hold");
    await inBoth(twins, "deletion hold person p1 --reason case");
    await close(twins);
    await processAll();
    assert.equal(await askBoth(twins), "exists");
  });

  it("is not answered about because of what somebody did after only a report had kept it", async () => {
    const twins = await makeTwins("later");
    await line.ask("deletion hold customer_sar s1 --reason case --organization", twins[1]);
    await close(twins);
    assert.equal(await askBoth(twins), "not_stated");
    await processAll();
    await line.ask("deletion hold person p1 --reason case --organization", twins[1]);
    assert.equal(await askBoth(twins), "not_stated");
    await inBoth(twins, "retention set --type person --keep-days 1000");
    assert.equal(await askBoth(twins), "not_stated");
  });

  it("is described so that nobody takes it for an answer that somebody is unknown", async () => {
    const twins = await makeTwins("words");
    await close(twins);
    const answer = await line.type("subject answer person p1 --reason r --organization", twins[0]);
    assert.match(answer.out, /^ {2}The organization is closed\. Only an answer that includes/m);
    assert.match(answer.out, /\(words-plain\), closed 20/);
    const found = await line.type("subject find --name Ada --reason r --organization", twins[0]);
    assert.match(found.out, /^Nobody is shown\.\nNot complete: The organization is closed/);
    assert.doesNotMatch(answer.out + found.out, /Nobody was found|Nothing is known|do not pass/);
  });
});
