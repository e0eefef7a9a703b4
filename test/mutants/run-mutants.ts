// Plants faults one at a time, and reports those that no test finds.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CampaignOutcome, CampaignRun } from "../campaign/campaign.ts";
import { makeRandom } from "../support/random.ts";
import { preferMemory } from "../support/temp-folder.ts";
import { TreeCopy } from "../support/tree-copy.ts";
import { type Mutant, plant, type TestChoice } from "./mutant.ts";

/**
 * In an order that the seed decides. Tests that fail without a fault are findings too: they would seem to find
 * everything.
 */
export async function runMutants(
  mutants: readonly Mutant[],
  { seed, countMax, budgetMs, tell }: Pick<CampaignRun, "seed" | "countMax" | "budgetMs" | "tell">,
): Promise<CampaignOutcome> {
  preferMemory();
  const copy = new TreeCopy();
  const sound = new Map<string, Promise<boolean>>();
  const isSound = (choice: TestChoice): Promise<boolean> => {
    const name = `${choice.file}: ${choice.titles ?? ""}`;
    const known = sound.get(name) ?? passes(copy, choice);
    sound.set(name, known);
    return known;
  };
  const findings: string[] = [];
  const endsAt = performance.now() + budgetMs;
  let planted = 0;
  try {
    for (const mutant of shuffled(mutants, seed).slice(0, countMax)) {
      if (performance.now() >= endsAt) break;
      const startedAt = performance.now();
      planted += 1;
      const finding = await findWhatIsWrong(mutant, { copy, isSound });
      if (finding !== undefined) findings.push(finding);
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      tell(`${finding === undefined ? "found" : "NOT FOUND"} ${describe(mutant)} (${seconds} s)`);
    }
  } finally {
    copy.remove();
  }
  return { figures: { planted, found: planted - findings.length }, findings };
}

async function findWhatIsWrong(
  mutant: Mutant,
  { copy, isSound }: { copy: TreeCopy; isSound: (choice: TestChoice) => Promise<boolean> },
): Promise<string | undefined> {
  for (const choice of mutant.tests) {
    if (!(await isSound(choice))) return `${choice.file} fails without any fault`;
    if (!(await passesWith(copy, mutant, choice))) return undefined;
  }
  const files = mutant.tests.map(({ file }) => file).join(" ");
  return `${describe(mutant)}: replace ${mutant.text} by ${mutant.replacement}, and ${files} passes`;
}

/** A fault can make tests wait forever; then it is found. */
const testMsMax = 60_000;

/** True if the tests pass. */
async function passes(copy: TreeCopy, { file, titles }: TestChoice): Promise<boolean> {
  const chosen = titles === undefined ? [] : [`--test-name-pattern=${RegExp.escape(titles)}`];
  return (await copy.run(["--test", ...chosen, file], testMsMax)).code === 0;
}

/** The same while the fault is planted. */
async function passesWith(copy: TreeCopy, mutant: Mutant, choice: TestChoice): Promise<boolean> {
  const path = join(copy.folder, mutant.file);
  const before = readFileSync(path, "utf8");
  writeFileSync(path, plant(before, mutant));
  try {
    return await passes(copy, choice);
  } finally {
    writeFileSync(path, before);
  }
}

function describe({ file, broken }: Mutant): string {
  return `${file}: ${broken}`;
}

function shuffled(mutants: readonly Mutant[], seed: number): readonly Mutant[] {
  const random = makeRandom(seed);
  return mutants
    .map((mutant) => ({ mutant, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ mutant }) => mutant);
}
