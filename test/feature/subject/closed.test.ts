// What an answer states of a closed organization without what is confidential: the same whether or not there is a
// report, which keeps the records of one of two organizations that are otherwise the same.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  clock,
  close,
  dayMs,
  inBoth,
  line,
  makeTwins,
  processAll,
  type Twins,
} from "../../cli/closed-twins.ts";

/** What is said without what is confidential, which has to be the same of both. Returns the kind of relationship. */
async function askBoth(twins: Twins): Promise<unknown> {
  const texts = [];
  for (const organization of twins) {
    const said = [];
    for (const words of [
      "subject answer person p1 --reason r",
      "subject answer person p2 --reason r --json",
      "subject show person p1",
      "subject show person p2 --json",
    ]) {
      const { code, out, err } = await line.type(words, "--organization", organization);
      said.push(`${words}: ${code} ${out}${err}`);
    }
    texts.push(said.join("\n").replaceAll(organization, "<organization>"));
  }
  assert.equal(texts[1], texts[0]);
  const answer = await line.ask("subject answer person p1 --reason r --organization", twins[1]);
  const access = await line.type("subject show person p1 --organization", twins[1]);
  if (answer["relationship"] === "exists") assert.match(access.out, /person +1\n/);
  else assert.match(access.err, /The organization is closed, so only an answer that includes/);
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
    assert.match(answer.out, /^The organization is closed\. Only an answer that includes/m);
    assert.match(answer.out, /\(words-plain\).*The organization was closed on/s);
    assert.doesNotMatch(answer.out, /Nothing is known|do not pass/);
  });
});
