// What a search states of a closed organization without what is confidential: the same whether or not there is a
// report, which keeps the records of one of two organizations that are otherwise the same.

import assert from "node:assert/strict";
import { it } from "node:test";
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

/** What is said of both, which has to be the same. */
async function findInBoth(twins: Twins): Promise<string> {
  const texts = [];
  for (const organization of twins) {
    const words = "subject find --name Ada --reason r --organization";
    const { code, out, err } = await line.type(words, organization);
    texts.push(`${code} ${out}${err}`.replaceAll(organization, "<organization>"));
  }
  assert.equal(texts[1], texts[0]);
  return texts.join("");
}

it("finds somebody in a closed organization only while records that are not confidential keep it", async () => {
  const twins = await makeTwins("found");
  await inBoth(twins, "retention set --type person --keep-days 100");
  await close(twins);
  await processAll();
  assert.match(await findInBoth(twins), /p1/);
  clock.advanceMs(200 * dayMs);
  const closed = /^0 Nobody is shown\.\nNot complete: The organization is closed/;
  assert.match(await findInBoth(twins), closed);
  await processAll();
  assert.match(await findInBoth(twins), closed);
});
