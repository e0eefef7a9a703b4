// Runs the test files that SLUICE_TEST_TOGETHER names in one process: its start takes longer than most of them. Each file
// is a suite of its own, so that its hooks concern no other file. One that can't be loaded has a failed test.

import { describe, it } from "node:test";

for (const file of JSON.parse(process.env["SLUICE_TEST_TOGETHER"] ?? "[]") as readonly string[]) {
  describe(file, async () => {
    try {
      await import(file);
    } catch (error) {
      it("can be loaded", () => {
        throw error;
      });
    }
  });
}
