// Repaired files: while the faulty one is being imported, none takes its place, so that a person never has more files
// than the bound.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, describe, it } from "node:test";
import { OperatorError } from "../../../src/actions/operator/operator-error.ts";
import { Uploads } from "../../../src/feature/upload/uploads.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { waitFor } from "../../support/wait-for.ts";
import { uploadInProcess } from "./upload-in-process.ts";

const owner = "op_1";
const about = { organizationId: "acme", resourceType: "risk_assessment", update: false };
const file = { ...about, fileName: "r.csv", ownerId: owner };
const content = "assessment_id\na\n";
const begun = { errorName: "upload", message: /^Its import has begun/ };

describe("a repaired file", async () => {
  const folder = makeTempFolder();
  const path = join(folder, "uploads");
  mkdirSync(path);
  const uploads = new Uploads({
    bytesMax: 1_000,
    timestampMin: "1980-01-01",
    now: () => 0,
    monotonic: () => 0,
    onFailure: assert.ifError,
    startThread: uploadInProcess,
    makeFolder: () => Promise.resolve({ path, remove: () => Promise.resolve() }),
  });
  after(() => uploads.close());
  const receive = (source: Readable, repairs?: string) =>
    uploads.receive({ ...file, repairs }, source);
  const { uploadId: faulty } = await receive(Readable.from([content]));
  await uploads.inspect(faulty, owner);
  const state = () => uploads.find(faulty, owner).state.name;
  const importing = Promise.withResolvers<never>();
  /** Its rows would be refused, so the second call imports it. */
  const start = () =>
    uploads.start(faulty, owner, {
      inspectionNo: 1,
      write: () => Promise.reject(new Error("nothing is written")),
      requireAllowed: () => Promise.resolve(),
      record: () => importing.promise,
    });
  start();
  await waitFor("the check of all rows", () => state() === "ready" || undefined);

  it("is not taken if the import of the faulty one begins while it arrives", async () => {
    const source = new Readable({ read: () => undefined });
    const receiving = receive(source, faulty);
    const refused = assert.rejects(receiving, begun);
    start();
    source.push(content);
    source.push(null);
    await refused;
    assert.equal(state(), "importing");
    assert.deepEqual(readdirSync(path), [faulty]);
  });

  it("is not taken while the faulty one is being imported", async () => {
    await receive(Readable.from([content]));
    await receive(Readable.from([content]));
    await assert.rejects(receive(Readable.from([content]), faulty), begun);
    assert.equal(uploads.listOf(owner).length, 3);
    assert.equal(readdirSync(path).length, 3);
    importing.reject(new OperatorError("stopped", "It was stopped."));
  });
});
