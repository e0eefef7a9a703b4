// Short runs of campaigns in `npm run test:rest`, each with the same input every time.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Campaign, CampaignRun, Engine } from "./campaign.ts";

export interface ShortRun {
  readonly seed: number;
  readonly count: number;
  readonly engine?: Engine;
  readonly only?: readonly string[];
  readonly amounts?: Readonly<Record<string, number>>;
}

/** The options of such a run, which prints nothing. */
export function shortRun({
  seed,
  count,
  engine = "sqlite",
  only,
  amounts = {},
}: ShortRun): CampaignRun {
  const parts = only === undefined ? {} : { only };
  const bounds = { countMax: count, budgetMs: Infinity, amounts };
  return { seed, ...bounds, engine, ...parts, tell: () => undefined };
}

/** Runs it, requires that it finds nothing, and returns its figures. `name`: in the list of campaigns. */
export async function requireNothingFound<Figures extends object>(
  test: TestContext,
  name: string,
  { campaign, ...short }: ShortRun & { readonly campaign: Pick<Campaign<Figures>, "run"> },
): Promise<Figures> {
  const run = shortRun(short);
  const { figures, findings } = await campaign.run(run);
  test.diagnostic(JSON.stringify(figures));
  const { seed, countMax, engine, amounts = {} } = run;
  const others = Object.entries(amounts).map(([what, amount]) => ` --${what} ${amount}`);
  const again = `npm run campaign -- ${name} --engine ${engine} --seed ${seed} --count ${countMax}${others.join("")}`;
  assert.deepEqual(findings, [], again);
  return figures;
}
