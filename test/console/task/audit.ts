// Tasks of auditors.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Task } from "./task.ts";

export const auditTasks: readonly Task[] = [
  {
    title: "verify the chain of the audit trail, and download it",
    run: async ({ as }) => {
      const hands = await as("axel");
      await hands.open("Audit");
      await hands.press("Verify the chain");
      await hands.see("are unaltered");
      await hands.see("This is the end of the trail");
      await hands.press("To the audit trail");
      const downloading = hands.page.waitForEvent("download");
      await hands.press("Download the audit trail");
      const path = await (await downloading).path();
      assert.match(await readFile(path, "utf8"), /"action":"operator\.create"/);
    },
  },
];
