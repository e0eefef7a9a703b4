// The life of one record of every type over HTTP: added, checked, updated, and everything that is
// refused on the way.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { showRecord } from "../../src/actions/record/show-record.ts";
import { limits } from "../../src/domain/limits.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { ReplyBody } from "../support/http-client.ts";
import { linesOf } from "../support/stream-client.ts";
import { assertCode, check, idOf, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { records } = scene;
const customer = await scene.makeCustomer();
after(() => scene.stop());

const { organizationId } = customer;

function post(type: RecordType, body: unknown) {
  return scene.ask(customer, { method: "POST", path: pathOf(type), body });
}

function put(type: RecordType, body: unknown) {
  return scene.ask(customer, { method: "PUT", path: pathOf(type), body });
}

async function sighting(type: RecordType, id: string): Promise<ReplyBody> {
  const reply = await check(scene, customer, { type, id });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

function show(type: RecordType, id: string) {
  const { resourceType } = type;
  return showRecord(scene.service.app, { organizationId, resourceType, resourceId: id });
}

for (const type of recordTypes) {
  describe(type.resourceType, () => {
    it("is added, and then exists, with its business times", async () => {
      const record = records.record(type, { timestamp: "2026-01-31T10:30:00.250+01:00" });
      const id = idOf(type, record);
      assert.equal((await check(scene, customer, { type, id })).status, 404);
      const added = await post(type, record);
      assert.equal(added.status, 201, added.text);
      const { message, ...rest } = added.body;
      assert.deepEqual(rest, { success: true, write_count: 1, organization_id: organizationId });
      assert.ok((message ?? "").length > 0);
      assert.deepEqual(await sighting(type, id), {
        [type.idField]: id,
        first_seen: "2026-01-31T09:30:00.25Z",
        last_seen: "2026-01-31T09:30:00.25Z",
        organization_id: organizationId,
      });
    });

    it("is stored exactly as it was sent", async () => {
      for (let count = 0; count < 10; count += 1) {
        const record = records.record(type);
        await post(type, record);
        const { changes } = await show(type, idOf(type, record));
        assert.deepEqual(
          changes.map(({ payload }) => payload),
          [record],
        );
      }
    });

    it("is found whatever characters its id has", async () => {
      for (const id of [
        "a b",
        "ü/?&=#%2F+",
        "'\"\\",
        "😀",
        "..",
        "null",
        "__proto__",
        "1e3",
        "x".repeat(256),
        "😀".repeat(256),
      ]) {
        const record = records.record(type, { [type.idField]: id });
        assert.equal((await post(type, record)).status, 201, id);
        assert.equal((await sighting(type, id))[type.idField], id);
      }
    });

    it("is refused when an identical one exists, whatever the order of its fields", async () => {
      const record = await scene.addRecord(customer, type);
      for (const again of [record, Object.fromEntries(Object.entries(record).toReversed())]) {
        const reply = await post(type, again);
        assertCode(reply, 40901);
        assert.deepEqual(reply.body.errors, [{ field: type.idField }]);
      }
      assert.equal((await show(type, idOf(type, record))).changes.length, 1);
    });

    it("is refused when a different one with its id exists", async () => {
      const record = await scene.addRecord(customer, type);
      const reply = await post(type, { ...record, timestamp: "2019-01-01T00:00:00Z" });
      assertCode(reply, 40902);
      // The message says why, once.
      assert.deepEqual(reply.body.errors, [{ field: type.idField }]);
      assert.equal((await show(type, idOf(type, record))).changes.length, 1);
    });

    it("can be updated with only its id and a timestamp", async () => {
      const record = await scene.addRecord(customer, type, { timestamp: "2026-02-01T00:00:00Z" });
      const id = idOf(type, record);
      const update = { [type.idField]: id, timestamp: "2026-03-01T00:00:00Z" };
      const reply = await put(type, update);
      assert.equal(reply.status, 200, reply.text);
      const { message, ...rest } = reply.body;
      assert.deepEqual(rest, { success: true, write_count: 1, organization_id: organizationId });
      assert.ok((message ?? "").length > 0);
      const { first_seen, last_seen } = await sighting(type, id);
      assert.deepEqual([first_seen, last_seen], ["2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"]);
    });

    it("can't be dated more than 366 days ahead, whether it is added or updated", async () => {
      const timestamp = "2999-01-01T00:00:00Z";
      const id = idOf(type, await scene.addRecord(customer, type));
      for (const reply of [
        await post(type, records.record(type, { timestamp })),
        await put(type, { [type.idField]: id, timestamp }),
      ]) {
        assertCode(reply, 40000);
        assert.match(reply.body.errors?.[0]?.message ?? "", /at most 366 days in the future/);
      }
    });

    it("has as first_seen and last_seen its earliest and latest business times, in any order of arrival", async () => {
      const times = [
        ["2026-05-05T12:00:00.5+02:00", "2026-05-05T10:00:00.5Z", "2026-05-05T10:00:00.5Z"],
        [
          "2026-05-05T09:59:59.999999999Z",
          "2026-05-05T09:59:59.999999999Z",
          "2026-05-05T10:00:00.5Z",
        ],
        [
          "2026-05-05T10:00:00.50000001Z",
          "2026-05-05T09:59:59.999999999Z",
          "2026-05-05T10:00:00.50000001Z",
        ],
        ["2026-05-05T00:00:00-11:00", "2026-05-05T09:59:59.999999999Z", "2026-05-05T11:00:00Z"],
        ["2026-05-05t10:30:00z", "2026-05-05T09:59:59.999999999Z", "2026-05-05T11:00:00Z"],
        ["1999-12-31T23:30:00-01:00", "2000-01-01T00:30:00Z", "2026-05-05T11:00:00Z"],
      ] as const;
      const [[first]] = times;
      const id = idOf(type, await scene.addRecord(customer, type, { timestamp: first }));
      for (const [timestamp, expectedFirst, expectedLast] of times) {
        const update = { [type.idField]: id, timestamp };
        if (timestamp !== first) assert.equal((await put(type, update)).status, 200);
        const { first_seen, last_seen } = await sighting(type, id);
        assert.deepEqual([first_seen, last_seen], [expectedFirst, expectedLast], timestamp);
      }
    });

    it("can't be updated when it does not exist", async () => {
      const id = records.id(type);
      const reply = await put(type, records.update(type, id));
      assertCode(reply, 40401);
      assert.equal(reply.body.errors?.[0]?.field, type.idField);
      assert.equal((await check(scene, customer, { type, id })).status, 404);
    });

    it("can't exceed the maximum size as JSON", async () => {
      const value = "x".repeat(limits.textCharactersMax);
      const additional_properties = Array.from({ length: 70 }, (_, index) => ({
        key: `${index}`,
        value,
        type: "STRING",
      }));
      const reply = await post(type, records.record(type, { additional_properties }));
      assertCode(reply, 41301);
      assert.match(reply.text, /65536 bytes/);
      const smaller = { additional_properties: additional_properties.slice(0, 50) };
      assert.equal((await post(type, records.record(type, smaller))).status, 201);
    });
  });
}

describe("the query of an existence check", () => {
  for (const type of recordTypes) {
    it(`names the ${type.idField} of a ${type.resourceType} once, within its bounds`, async () => {
      const path = pathOf(type);
      const wrong = [
        path,
        `${path}?`,
        `${path}?id=1`,
        `${path}?${type.idField}=`,
        `${path}?${type.idField}=a&${type.idField}=b`,
        `${path}?${type.idField}=${"x".repeat(257)}`,
        `${path}?${type.idField}=a%00b`,
        `${path}?${type.idField}[]=a`,
        ...["%", "%zz", "%f", "a%ff", "%ed%a0%80", "%c0%af"].map(
          (code) => `${path}?${type.idField}=${code}`,
        ),
      ];
      for (const query of wrong) {
        const reply = await scene.ask(customer, { method: "GET", path: query });
        assert.equal(reply.status, 400, query);
        assert.equal(reply.body.code, 40000);
        assert.equal(reply.body.errors?.[0]?.field, type.idField);
      }
    });
  }

  it("is refused where any part of it can't be decoded", async () => {
    const path = "/v2/transaction?tx_id=a&other=%zz";
    const reply = await scene.ask(customer, { method: "GET", path });
    assert.deepEqual([reply.status, reply.body.errors?.[0]?.field], [400, "other"]);
    assert.match(reply.body.errors?.[0]?.message ?? "", /percent-encoded.*%25/);
  });

  it("can have other parameters, which are ignored", async () => {
    const [type] = recordTypes;
    assert.ok(type !== undefined);
    const id = idOf(type, await scene.addRecord(customer, type));
    const query = { [type.idField]: id, other: "1", constructor: "2", __proto__: "3" };
    const reply = await scene.ask(customer, { method: "GET", path: pathOf(type), query });
    assert.equal(reply.status, 200);
  });
});

describe("a record of before 1980", () => {
  it("is accepted where TIMESTAMP_MIN says so: alone, in a list of any length, and in a stream", async (test) => {
    const earlier = await startScene({ environment: { TIMESTAMP_MIN: "1950-01-01" } });
    test.after(() => earlier.stop());
    const writer = await earlier.makeCustomer();
    const type = typeNamed("person");
    const statusOf = async (timestamp: string, count?: number) => {
      const make = () => earlier.records.record(type, { timestamp });
      const body = count === undefined ? make() : Array.from({ length: count }, make);
      return (await earlier.ask(writer, { method: "POST", path: pathOf(type), body })).status;
    };
    for (const count of [undefined, 2, 200]) {
      assert.ok((await statusOf("1950-01-01T00:00:00Z", count)) < 300, `${count}`);
      assert.equal(await statusOf("1949-12-31T23:59:59Z", count), 400, `${count}`);
    }
    const lines = ["1949-12-31T23:59:59Z", "1950-01-01T00:00:00Z"].map((timestamp) =>
      JSON.stringify(earlier.records.record(type, { timestamp })),
    );
    const headers = { "content-type": "application/x-ndjson" };
    const stream = { method: "POST", path: pathOf(type), headers, body: lines.join("\n") };
    const [refused, counts] = linesOf(await earlier.ask(writer, stream));
    assert.deepEqual([refused?.["line"], counts?.["write_count"]], [1, 1]);
  });
});
