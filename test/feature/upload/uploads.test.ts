// How long an uploaded file is kept, with a real thread for its rows and a clock that jumps.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, describe, it } from "node:test";
import { Uploads } from "../../../src/feature/upload/uploads.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { uploadInProcess } from "./upload-in-process.ts";
import { waitFor } from "../../support/wait-for.ts";

const hourMs = 60 * 60_000;

describe("an uploaded file", () => {
  const folder = makeTempFolder();
  after(() => removeFolder(folder));

  it("is kept for an hour from the end of its import, whatever the clock of the host says", async () => {
    let [now, host] = [0, Date.parse("2026-06-01T12:00:00Z")];
    const path = join(folder, "uploads");
    mkdirSync(path);
    await using closing = new AsyncDisposableStack();
    const uploads = new Uploads({
      bytesMax: 1_000,
      timestampMin: "1980-01-01",
      now: () => host,
      monotonic: () => now,
      onFailure: assert.ifError,
      startThread: uploadInProcess,
      makeFolder: () => Promise.resolve({ path, remove: () => Promise.resolve() }),
    });
    closing.defer(() => uploads.close());
    const about = { organizationId: "acme", resourceType: "risk_assessment", update: false };
    const file = { ...about, fileName: "r.csv", ownerId: "op_1" };
    const { uploadId } = await uploads.receive(file, Readable.from(["assessment_id\na\n"]));
    await uploads.inspect(uploadId, "op_1");
    const start = () =>
      uploads.start(uploadId, "op_1", {
        inspectionNo: 1,
        write: () => Promise.reject(new Error("nothing is written")),
        requireAllowed: () => Promise.resolve(),
        record: async (run) => {
          const report = await run(() => undefined);
          now += 2 * hourMs;
          return report;
        },
      });
    const is = (name: string) => uploads.find(uploadId, "op_1").state.name === name || undefined;
    start();
    assert.ok(is("checking"));
    await waitFor("the check of all rows", () => is("ready"));
    assert.equal(uploads.find(uploadId, "op_1").check?.refused, 1);
    start();
    assert.throws(start, { errorName: "upload" });
    await waitFor("the end of the import", () => is("ended"));
    now += hourMs;
    host += 10 * 365 * 24 * hourMs;
    assert.equal(uploads.find(uploadId, "op_1").refused.length, 1);
    assert.ok(uploads.readRefused(uploadId, "op_1"));
    now += 1;
    assert.throws(() => uploads.find(uploadId, "op_1"), { errorName: "no_such_upload" });
  });
});
