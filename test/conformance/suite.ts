// The tests that every engine has to pass. A new engine is one more file like sqlite.test.ts.

import { testAccess, testIsolation } from "./access.ts";
import { testApproval } from "./approval.ts";
import { testArrivals, testConcurrency, testExporting } from "./concurrency.ts";
import { testCascade } from "./cascade.ts";
import { testCeilings } from "./ceilings.ts";
import { testClosingUnderFloors } from "./closing-floors.ts";
import { testClosing } from "./closing.ts";
import { testDeletions } from "./deletions.ts";
import type { Engine } from "./engine.ts";
import { testFloors } from "./floors.ts";
import { testHolds } from "./holds.ts";
import { testIdempotency } from "./idempotency.ts";
import { testLargeDeletions, testLongRedactions } from "./long-redactions.ts";
import { testLongLists, testManyChanges } from "./long-lists.ts";
import { testOperators } from "./operators.ts";
import { testPartyFloors } from "./party-floors.ts";
import { testProposals } from "./proposals.ts";
import { testRandomWorkload } from "./random-workload.ts";
import { testParties } from "./parties.ts";
import { testReplaying } from "./replaying.ts";
import { testRestricted } from "./restricted.ts";
import {
  testJointClaim,
  testJointCompletion,
  testResumption,
  testTrail,
} from "./joint-completion.ts";
import { testDryRun } from "./dry-run.ts";
import { testUpkeep } from "./upkeep.ts";
import { samples } from "../feature/samples.ts";
import { testWriting } from "./writing.ts";

type Part = (engine: Engine) => void;

const basics: readonly Part[] = [testWriting, testIdempotency, testDeletions, testAccess];

/** What operations decide and store, by the same statements in whatever thread they run. */
const decisions: readonly Part[] = [
  testIsolation,
  testCascade,
  testParties,
  testApproval,
  testProposals,
  testHolds,
  testFloors,
  testPartyFloors,
  testCeilings,
  testDryRun,
  testClosing,
  testClosingUnderFloors,
  testRestricted,
  testReplaying,
  testOperators,
  ...samples.flatMap(({ conformance = [] }) => conformance),
  testTrail,
  testLongLists,
  testLongRedactions,
  testManyChanges,
  testRandomWorkload,
];

/** What depends on how a server writes, which shares commits, and on restarts. */
const serving: readonly Part[] = [
  testUpkeep,
  testArrivals,
  testConcurrency,
  testExporting,
  testLargeDeletions,
  testJointClaim,
  testJointCompletion,
  testResumption,
];

/** What differs most between engines, and between a server and a command. */
export function testServer(engine: Engine): void {
  for (const test of [...basics, ...serving]) test(engine);
}

export function testDecisions(engine: Engine): void {
  for (const test of decisions) test(engine);
}

/** For another version of a server that passes all of it, and for a command. */
export function testShortly(engine: Engine): void {
  for (const test of basics) test(engine);
}
