// How long an uploaded file is kept, with a clock that jumps, that its import ends with the right of its person, and
// that no repaired file takes its place meanwhile, so that a person never has more files than the bound.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, describe, it } from "node:test";
import { OperatorError } from "../../../src/actions/operator/operator-error.ts";
import { Uploads } from "../../../src/feature/upload/uploads.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { uploadInProcess } from "./upload-in-process.ts";
import { waitFor } from "../../support/wait-for.ts";

const hourMs = 60 * 60_000;

const about = { organizationId: "acme", resourceType: "risk_assessment", update: false };
const file = { ...about, fileName: "r.csv", ownerId: "op_1" };

describe("an uploaded file", () => {
  const folder = makeTempFolder();
  let [now, host] = [0, Date.parse("2026-06-01T12:00:00Z")];

  /** An upload with these rows, whose mapping was inspected. */
  async function receive(name: string, rows: string) {
    const path = join(folder, name);
    mkdirSync(path);
    const uploads = new Uploads({
      bytesMax: 1_000,
      timestampMin: "1980-01-01",
      now: () => host,
      monotonic: () => now,
      onFailure: assert.ifError,
      startThread: uploadInProcess,
      makeFolder: () => Promise.resolve({ path, remove: () => Promise.resolve() }),
    });
    after(() => uploads.close());
    const { uploadId } = await uploads.receive(file, Readable.from([rows]));
    await uploads.inspect(uploadId, "op_1");
    const start = (how: Partial<Parameters<Uploads["start"]>[2]> = {}) =>
      uploads.start(uploadId, "op_1", {
        inspectionNo: 1,
        write: () => Promise.reject(new Error("nothing is written")),
        requireAllowed: () => Promise.resolve(),
        record: (run) => run(() => undefined),
        ...how,
      });
    const find = () => uploads.find(uploadId, "op_1");
    const is = (state: string) => find().state.name === state || undefined;
    const files = () => readdirSync(join(path, uploadId));
    return { uploads, uploadId, start, find, is, files, all: () => readdirSync(path) };
  }

  it("is kept for an hour from the end of its import, whatever the clock of the host says", async () => {
    const kept = await receive("kept", "assessment_id\na\n");
    const { uploads, uploadId, find, is, files } = kept;
    const start = () =>
      kept.start({
        record: async (run) => {
          const report = await run(() => undefined);
          now += 2 * hourMs;
          return report;
        },
      });
    start();
    assert.ok(is("checking"));
    await waitFor("the check of all rows", () => is("ready"));
    assert.equal(find().check?.refused, 1);
    start();
    assert.throws(start, { errorName: "upload" });
    await waitFor("the end of the import", () => is("ended"));
    await waitFor("only its refused rows to be left", () => files().length === 1);
    assert.match(files().join(), /refused/);
    now += hourMs;
    host += 10 * 365 * 24 * hourMs;
    assert.equal(find().refused.length, 1);
    assert.ok(uploads.readRefused(uploadId, "op_1"));
    now += 1;
    assert.throws(find, { errorName: "no_such_upload" });
  });

  it("is imported no further when its person may no longer import, and then removed", async () => {
    const rows = "assessment_id,timestamp,type,outcome\na,2026-01-31T09:30:00Z,onboarding,LOW\n";
    const { start, find, is, files } = await receive("taken", rows);
    let isTaken = false;
    start({
      write: (_order, stopping) => {
        isTaken = true;
        const { promise, reject } = Promise.withResolvers<never>();
        stopping.addEventListener("abort", () => reject(stopping.reason));
        return promise;
      },
      requireAllowed: async () => {
        if (isTaken) throw new OperatorError("not_permitted", "The right was taken away.");
      },
    });
    await waitFor("the end of the import", () => is("ended"));
    const { state } = find();
    assert.equal(state.name === "ended" && state.failure, "The right was taken away.");
    await waitFor("its removal", () => files().length === 0);
  });

  it("takes no repaired file while it is imported, nor one that began to arrive before", async () => {
    const importing = Promise.withResolvers<never>();
    importing.promise.catch(() => undefined);
    after(() => importing.reject(new OperatorError("stopped", "It was stopped.")));
    const { uploads, uploadId, start, is, all } = await receive("repaired", "assessment_id\na\n");
    start({ record: () => importing.promise });
    await waitFor("the check of all rows", () => is("ready"));
    const repaired = { ...file, repairs: uploadId };
    const begun = { errorName: "upload", message: /^Its import has begun/ };
    const source = new Readable({ read: () => undefined });
    const refused = assert.rejects(uploads.receive(repaired, source), begun);
    // Its rows would be refused, so the second call imports it.
    start({ record: () => importing.promise });
    source.push("assessment_id\nb\n");
    source.push(null);
    await refused;
    assert.ok(is("importing"));
    assert.deepEqual(all(), [uploadId]);
    for (const rows of ["1", "2"]) await uploads.receive(file, Readable.from([rows]));
    await assert.rejects(uploads.receive(repaired, Readable.from(["3"])), begun);
    assert.deepEqual([uploads.listOf("op_1").length, all().length], [3, 3]);
  });
});
