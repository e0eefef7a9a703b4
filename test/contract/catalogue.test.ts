// The catalogue of errors: a test over HTTP requires each of its codes. Here are those of requests that take too long,
// and those of features.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it, mock } from "node:test";
import { allErrors } from "../../src/process/tables.ts";
import { sampled } from "../feature/samples.ts";
import { limits } from "../../src/domain/limits.ts";
import type { Reply } from "../support/http-client.ts";
import { openRaw, parseReply } from "../support/raw-socket.ts";
import { waitFor } from "../support/wait-for.ts";
import { offsetGone } from "../../src/http/openapi/error-responses.ts";
import { operations } from "../../src/process/operations.ts";
import { pathOf, startScene, typeNamed } from "./scene.ts";

// The check for slow requests runs at an interval; here it runs when the test says so.
mock.timers.enable({ apis: ["setInterval"] });
const scene = await startScene();
const { client, service } = scene;
const customer = await scene.makeCustomer();
const person = typeNamed("person");
after(() => scene.stop());

/** Sends a request, and lets minutes pass until the watch has ended it. */
async function endedByWatch(body: string, length: number): Promise<Reply> {
  const { socket, closed, received } = openRaw(client.address);
  socket.write(
    `POST ${pathOf(person)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${customer.token}\r\nx-request-id: slow\r\n` +
      `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );
  let passedMs = 0;
  const real = performance.now.bind(performance);
  const later = mock.method(performance, "now", () => real() + passedMs);
  const look = () => {
    mock.timers.tick(5_000);
    passedMs += limits.bodyTimeoutMs;
    return received() === "" ? undefined : true;
  };
  const timeoutMs = 500 * limits.bodyTimeoutMs;
  await waitFor("the watch to end the request", look, { timeoutMs });
  later.mock.restore();
  const reply = parseReply(await closed);
  assert.equal(reply.headers["x-request-id"], "slow");
  return reply;
}

describe("a request that takes too long", () => {
  it("is answered with 408 while its body arrives", async () => {
    const { status, body } = await endedByWatch('{"half":', 100);
    assert.deepEqual([status, body.code], [408, 40801]);
  });

  it("is answered with 503 in the service, though its body arrived completely", async () => {
    const held = service.holdStore("writeRecords");
    const body = JSON.stringify({ ...person.example, person_id: "slow" });
    const reply = await endedByWatch(body, Buffer.byteLength(body));
    assert.deepEqual([reply.status, reply.body.code], [503, 50301]);
    held.release();
  });
});

const ofFeatures = sampled("errors");

describe("an error of a feature", () => {
  for (const [name, produce] of Object.entries(ofFeatures)) {
    it(`is produced: ${name}`, async () => {
      const { code } = allErrors[name] ?? {};
      const reply = await produce(scene, customer);
      assert.deepEqual([reply.status, reply.body.code], [Math.floor((code ?? 0) / 100), code]);
      assert.ok((reply.body.message ?? "").length > 10);
    });
  }
});

describe("every error of the catalogue", () => {
  /** Whether an operation reads from a place in the changes, where offset_gone can happen. */
  const readsChanges = operations.some(({ errors }) => errors.includes(offsetGone));
  const catalogue = Object.entries(allErrors).filter(
    ([name]) => readsChanges || name !== "offset_gone",
  );
  const codes = catalogue.map(([, { code }]) => code);

  it("is required by a test of the contract", () => {
    const folder = join(import.meta.dirname, "..");
    const files = globSync("{contract,feature/*/contract}/*.test.ts", { cwd: folder });
    const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("");
    const required = new Set(text.match(/\b4\d{4}\b|\b50[0-9]0\d\b/g)?.map(Number));
    const untested = catalogue.filter(
      ([name, { code }]) => !required.has(code) && !Object.hasOwn(ofFeatures, name),
    );
    assert.deepEqual(untested, []);
  });

  it("has a code of its own, and is there if the contract names it", () => {
    const named = [
      [400, 0, 1, 2],
      [401, 1, 2, 3, 4, 5],
      [403, 1, 2],
      [404, 1, 2, 3],
      [405, 1],
      [409, 1, 2, 3, 4],
      [413, 1],
      [415, 1],
      [422, 1],
      [429, 1],
      [500, 1],
      [503, 1],
    ].flatMap(([status = 0, ...numbers]) => numbers.map((number) => status * 100 + number));
    assert.deepEqual(new Set(named).difference(new Set(codes)), new Set());
    assert.equal(new Set(codes).size, codes.length);
  });
});
