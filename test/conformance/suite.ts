// The tests that every engine has to pass. A new engine is one more file like sqlite.test.ts.

import { testAccess } from "./access.ts";
import { testApproval } from "./approval.ts";
import { testCascade } from "./cascade.ts";
import { testClosingUnderFloors } from "./closing-floors.ts";
import { testClosing } from "./closing.ts";
import { testConcurrency } from "./concurrency.ts";
import { testDeletions } from "./deletions.ts";
import type { Engine } from "./engine.ts";
import { testExporting } from "./exporting.ts";
import { testFloors } from "./floors.ts";
import { testHolds } from "./holds.ts";
import { testIdempotency } from "./idempotency.ts";
import { testImports } from "./imports.ts";
import { testIsolation } from "./isolation.ts";
import { testLargeDeletions } from "./large-deletions.ts";
import { testLongLists } from "./long-lists.ts";
import { testOperators } from "./operators.ts";
import { testManyChanges } from "./many-changes.ts";
import { testRandomWorkload } from "./random-workload.ts";
import { testParties } from "./parties.ts";
import { testReplaying } from "./replaying.ts";
import { testRestricted } from "./restricted.ts";
import { testResumption } from "./resumption.ts";
import { testJointCompletion } from "./joint-completion.ts";
import { testSubjects } from "./subjects.ts";
import { testTrail } from "./trail.ts";
import { testUpkeep } from "./upkeep.ts";
import { testWriting } from "./writing.ts";

export function testEngine(engine: Engine): void {
  testOperations(engine);
  testLongLists(engine);
  testManyChanges(engine);
  testConcurrency(engine);
  testExporting(engine);
  testLargeDeletions(engine);
  testJointCompletion(engine);
  testResumption(engine);
  testRandomWorkload(engine, 20);
}

/** What a command does otherwise than a server: it writes in its own thread, and decides the same. */
export function testCommand(engine: Engine): void {
  testWriting(engine);
  testIdempotency(engine);
  testDeletions(engine);
  testAccess(engine);
}

function testOperations(engine: Engine): void {
  testWriting(engine);
  testIdempotency(engine);
  testIsolation(engine);
  testDeletions(engine);
  testCascade(engine);
  testParties(engine);
  testSubjects(engine);
  testApproval(engine);
  testHolds(engine);
  testFloors(engine);
  testClosing(engine);
  testClosingUnderFloors(engine);
  testRestricted(engine);
  testReplaying(engine);
  testAccess(engine);
  testOperators(engine);
  testImports(engine);
  testTrail(engine);
  testUpkeep(engine);
}
