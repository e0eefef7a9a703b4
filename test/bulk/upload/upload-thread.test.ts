// The main thread's side of an import of an uploaded file.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { importInThread } from "../../../src/bulk/upload/upload-thread.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { uploadInProcess } from "../../support/upload-in-process.ts";

describe("the import of an uploaded file", () => {
  const folder = makeTempFolder();
  after(() => removeFolder(folder));

  it("is stopped where that was asked before its thread started", async () => {
    const file = join(folder, "upload.ndjson");
    writeFileSync(file, '{"person_id":"p1"}\n');
    const about = { organizationId: "acme", resourceType: "person", update: false };
    const plan = { ...about, file, fileName: "persons.ndjson" };
    const task = { kind: "import", plan, mapping: new Map() } as const;
    const events = {
      writeList: () => Promise.resolve([{ status: "created" } as const]),
      onStep: () => undefined,
      onRefused: () => undefined,
      stopping: AbortSignal.abort(),
    };
    await assert.rejects(importInThread(uploadInProcess, task, events), /It was stopped/);
  });
});
