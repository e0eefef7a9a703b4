// Plants faults one at a time, and reports those that no test finds.

import type { CampaignOutcome, CampaignRun } from "../campaign/campaign.ts";
import { makeRandom } from "../support/random.ts";
import { preferMemory } from "../support/temp-folder.ts";
import type { Mutant, TestChoice } from "./mutant.ts";
import { TreeCopy } from "./tree-copy.ts";

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
    const known = sound.get(name) ?? copy.passes(choice);
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
    if (!(await copy.with(mutant, () => copy.passes(choice)))) return undefined;
  }
  const files = mutant.tests.map(({ file }) => file).join(" ");
  return `${describe(mutant)}: replace ${mutant.text} by ${mutant.replacement}, and ${files} passes`;
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
