// Turns the events of files that ran in one process (together/) into those of files that ran on their own. Each of
// these files is a test there and a suite in it, both named by its path.

import { dirname, join } from "node:path";
import type { RunEvent, TestData } from "./test-report.ts";

const ignored: RunEvent = { type: "test:none", data: {} };
const together = join(import.meta.dirname, "together");

/** Returns a function that takes the events in their order. */
export function separate(): (event: RunEvent) => RunEvent {
  /** The number of tests that ended, by file. */
  const ended = new Map<string, number>();
  const broken = new Set<string>();
  /** Files in which a test or a suite was skipped. */
  const skipped = new Set<string>();
  /** How often a file was counted as a test. */
  const counted = { tests: 0, passed: 0, failed: 0 };

  /** A suite that can't be loaded, or a hook of which fails, is a failed test of its file. */
  function endSuite(file: string, { type, data }: RunEvent): RunEvent {
    const { details } = data as TestData;
    const isBroken = type === "test:fail" && details?.error?.failureType !== "subtestsFailed";
    if (isBroken) broken.add(file);
    return isBroken ? { type, data: { ...(data as TestData), nesting: 0 } } : ignored;
  }

  function endFile(file: string, { type, data }: RunEvent): RunEvent {
    const duration_ms = (data as TestData).details?.duration_ms;
    const tests = ended.get(file) ?? 0;
    const success = type === "test:pass";
    if (success) counted.passed += 1;
    if (success && tests === 0 && !skipped.has(file)) {
      counted.failed -= 1;
      const error = new Error("There is no test in it.");
      return { type: "test:fail", data: { name: file, file, details: { error } } };
    }
    const { error } = (data as TestData).details ?? {};
    // Such as an error after its last test, or a process that ended: nothing else reports it.
    if (!success && !broken.has(file) && error?.failureType !== "subtestsFailed") {
      return { type: "test:fail", data: { name: file, file, details: { error } } };
    }
    if (!broken.has(file)) {
      counted.tests += 1;
      counted.failed += success ? 0 : 1;
    }
    return { type: "test:summary", data: { file, counts: { tests }, success, duration_ms } };
  }

  function summarise(told: TestData): TestData {
    const { tests = 0, passed = 0, failed = 0, ...rest } = told.counts ?? {};
    const own = {
      tests: tests - counted.tests,
      passed: passed - counted.passed,
      failed: failed - counted.failed,
    };
    return { ...told, counts: { ...rest, ...own } };
  }

  return (event) => {
    const { type } = event;
    const told = event.data as TestData;
    const { name = "", nesting = 0, file = "", details } = told;
    if (type === "test:summary") {
      return file === "" ? { type, data: summarise(told) } : event;
    }
    const hasEnded = type === "test:pass" || type === "test:fail";
    const tests = ended.get(file);
    if (tests !== undefined) {
      if (hasEnded && details?.type === "test") ended.set(file, tests + 1);
      if (hasEnded && told.skip !== undefined) skipped.add(file);
      return { type, data: { ...told, nesting: nesting - 2 } };
    }
    if (dirname(file) !== together || name === file) return event;
    if (!ended.has(name)) ended.set(name, 0);
    if (!hasEnded) return ignored;
    return nesting === 0 ? endFile(name, event) : endSuite(name, event);
  };
}
