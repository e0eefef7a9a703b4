// Turns the events of files that ran in one process (together.ts) into those of files that ran on their own. Each of these
// files is a suite there, named by its path.

import { join } from "node:path";
import type { RunEvent, TestData } from "./test-report.ts";

const together = join(import.meta.dirname, "together.ts");

/** Returns a function that takes the events in their order. */
export function separate(): (event: RunEvent) => RunEvent {
  /** The number of tests that ended, by file. */
  const ended = new Map<string, number>();

  function end(file: string, { type, data }: RunEvent): RunEvent {
    const { details } = data as TestData;
    const tests = ended.get(file) ?? 0;
    if (tests === 0 && type === "test:pass") {
      const error = new Error("There is no test in it.");
      return { type: "test:fail", data: { name: file, file, details: { error } } };
    }
    const success = type === "test:pass";
    if (!success && details?.error?.failureType !== "subtestsFailed") return { type, data };
    const duration_ms = details?.duration_ms;
    return { type: "test:summary", data: { file, counts: { tests }, success, duration_ms } };
  }

  return (event) => {
    const { type } = event;
    const told = event.data as TestData;
    const { name = "", nesting = 0, file = "", details } = told;
    const hasEnded = type === "test:pass" || type === "test:fail";
    const tests = ended.get(file);
    if (tests !== undefined) {
      if (hasEnded && details?.type === "test") ended.set(file, tests + 1);
      return { type, data: { ...told, nesting: nesting - 1 } };
    }
    if (file !== together || nesting > 0 || name === file) return event;
    if (!ended.has(name)) ended.set(name, 0);
    return hasEnded ? end(name, event) : event;
  };
}
