// Tasks of auditors.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Hands } from "../hands.ts";
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
  {
    title: "audit from the export to the proof, with heads that were stored before",
    run: async ({ scene: { service }, as }) => {
      const { text: heads } = await service.client.send({
        method: "GET",
        path: "/.well-known/sluice-heads.json",
      });
      const hands = await as("axel");
      await hands.open("Receipts");
      const downloading = hands.page.waitForEvent("download");
      await hands.press("Download the receipts");
      const path = await (await downloading).path();
      const text = await readFile(path, "utf8");
      await verify(hands, { name: "receipts.ndjson", text }, heads);
      await hands.see("Genuine:");
      await hands.see(/^found: number \d/);
      await hands.see(/^entry [\d,]+ has the digest of the manifest/);
      const first = text.slice(0, text.indexOf("\n") + 1);
      await verify(hands, { name: "cut.ndjson", text: text.replace(first, "") }, heads);
      await hands.see("Not genuine, or not complete:");
      await hands.see("was cut, or the manifest is of another file");
    },
  },
];

async function verify(
  hands: Hands,
  file: { readonly name: string; readonly text: string },
  heads: string,
): Promise<void> {
  await hands.open("Verify a file");
  await hands.press("A manifest beside the file, or heads that you stored earlier");
  const label =
    "Heads, as this service publishes them: find the missing end of receipts and of the trail";
  await hands.write(label, heads);
  await hands.attach("File", file);
  await hands.press("Verify");
}
