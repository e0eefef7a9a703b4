// The main thread's side of an import of an uploaded file.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { ImportWrite } from "../../../src/feature/import/store-target.ts";
import { runInThread, type WriteImport } from "../../../src/feature/upload/run-in-thread.ts";
import { AppError } from "../../../src/domain/error.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { uploadInProcess } from "./upload-in-process.ts";

const end = '"timestamp":"2026-01-01T00:00:00Z"';

const created: WriteImport = ({ write }) =>
  Promise.resolve({ written: write.drafts.length, drafts: write.drafts.map(() => "created") });

function failing(failure: Error): WriteImport {
  return () => Promise.reject(failure);
}

describe("the import of an uploaded file", () => {
  const folder = makeTempFolder();

  const run = (name: string, write: WriteImport, stopping = new AbortController().signal) => {
    const file = join(folder, name);
    const rows = ["b", "c"].map(
      (id) => `{"outcome":"LOW","type":"band",${end},"assessment_id":"${id}"}`,
    );
    writeFileSync(file, `${rows.join("\n")}\n{"assessment_id":7}\n`);
    const about = { organizationId: "acme", resourceType: "risk_assessment", update: false };
    const timestampMin = "1980-01-01";
    const plan = { ...about, file, fileName: "assessments.ndjson", timestampMin };
    const task = { kind: "import", layout: {}, plan, mapping: new Map() } as const;
    const events = { write, onStep: () => undefined, onRefused: () => undefined, stopping };
    return runInThread(uploadInProcess, task, events);
  };
  it("is stopped where that was asked before its thread started", async () => {
    await assert.rejects(run("stopped.ndjson", created, AbortSignal.abort()), /It was stopped/);
  });

  it("gets drafts whose JSON was made once, and no row that fails validation", async (test) => {
    const { mock } = test.mock.method(JSON, "stringify");
    const got: ImportWrite[] = [];
    const report = await run("once.ndjson", (write, stopping) => {
      got.push(write);
      return created(write, stopping);
    });
    const made = mock.calls.map(({ result }) => String(result)).join("\n");
    mock.restore();
    assert.deepEqual([report.written, report.refused], [2, 1]);
    assert.deepEqual(
      got.flatMap(({ write }) => write.drafts.map(({ id, payload }) => [id, payload])),
      ["b", "c"].map((id) => [
        id,
        `{"assessment_id":"${id}","type":"band","outcome":"LOW",${end}}`,
      ]),
    );
    for (const id of ["b", "c"]) {
      assert.equal(made.split(`"assessment_id":"${id}"`).length - 1, 1, made);
    }
  });

  it("ends with what the service answers to a write", async () => {
    const full = new AppError("too_large", { message: "too many relations" });
    await assert.rejects(run("full.ndjson", failing(full)), {
      errorName: "server",
      message: /too many/,
    });
    const broken = new TypeError("a defect");
    await assert.rejects(run("broken.ndjson", failing(broken)), broken);
  });
});
