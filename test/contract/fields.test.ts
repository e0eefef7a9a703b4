// The fields of every type over HTTP: all are accepted, and an invalid one is refused and named by its path. Every invalid
// value of every field is tried in test/domain/validation.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { fullPayload } from "../domain/samples.ts";
import type { Reply } from "../support/http-client.ts";
import { check, idOf, pathOf, startScene } from "./scene.ts";

const scene = await startScene();
const customer = await scene.makeCustomer();
after(() => scene.stop());

function send(method: "POST" | "PUT", type: RecordType, body: unknown): Promise<Reply> {
  return scene.ask(customer, { method, path: pathOf(type), body });
}

function assertRefused(reply: Reply, field: string, what: string): void {
  assert.equal(reply.status, 400, `${field} with ${what}: ${reply.text}`);
  assert.equal(reply.body.code, 40000);
  const named = reply.body.errors?.map((error) => error.field) ?? [];
  assert.ok(named.includes(field), `${field} with ${what} is not named in ${reply.text}`);
}

for (const type of recordTypes) {
  describe(type.resourceType, () => {
    it("is added with every field filled in", async () => {
      const related = type.fieldNames.filter((name) => name.startsWith("related_"));
      for (const [index, keep] of [undefined, ...related].entries()) {
        const record = { ...fullPayload(type, keep), [type.idField]: `full ${index}` };
        const reply = await send("POST", type, record);
        assert.equal(reply.status, 201, reply.text);
      }
    });

    for (const method of ["POST", "PUT"] as const) {
      it(`is refused by ${method} with invalid values, each of which is named`, async () => {
        const body = { ...fullPayload(type), timestamp: "yesterday", additional_properties: [{}] };
        const reply = await send(method, type, body);
        for (const field of ["timestamp", "additional_properties[0].key"])
          assertRefused(reply, field, "an invalid value");
      });
    }

    it("is refused with an unknown field, with a suggestion of the field that was meant", async () => {
      const record = scene.records.record(type);
      const { timestamp, ...rest } = record;
      const reply = await send("POST", type, { ...rest, timestmap: timestamp });
      assertRefused(reply, "timestmap", "an unknown name");
      assertRefused(reply, "timestamp", "nothing");
      assert.match(reply.text, /did you mean timestamp\?/);
      const far = await send("POST", type, { ...record, zzzzzzzzzzzzzz: 1 });
      assertRefused(far, "zzzzzzzzzzzzzz", "an unknown name");
      assert.doesNotMatch(far.text, /did you mean/);
    });

    it("does not exist after any refusal", async () => {
      const record = fullPayload(type);
      const id = "never added";
      await send("POST", type, { ...record, [type.idField]: id, timestamp: "yesterday" });
      assert.equal((await check(scene, customer, { type, id })).status, 404);
      assert.notEqual(idOf(type, record), id);
    });
  });
}
