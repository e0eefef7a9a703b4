// Thousands of unusual requests do not harm the service; and these checks can fail.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound } from "../campaign/in-test.ts";
import { makeReply, type Reply } from "../support/http-client.ts";
import { makeRecordGenerator } from "../support/record-generator.ts";
import { startServer } from "../support/server.ts";
import { makeCustomer } from "../support/customer.ts";
import type { WriteIntent } from "./fuzz-case.ts";
import { fuzz } from "./campaign.ts";
import { Expectation } from "./check-writes.ts";
import { fuzzRaw } from "./raw-campaign.ts";
import { readAllReplies } from "../support/raw-replies.ts";
import { typeNamed } from "../conformance/scene.ts";

describe("a server that is sent unusual requests", () => {
  it("answers all of them correctly, stores only what it accepted, and survives", async (test) => {
    const run = { campaign: fuzz, seed: 1_100_000, count: 200 };
    const { cases, records, byStatus } = await requireNothingFound(test, "fuzz", run);
    assert.equal(cases, run.count);
    assert.ok(records > cases / 4, "many were accepted");
    assert.ok((byStatus["400"] ?? 0) > cases / 4, "many were rejected");
  });
});

describe("a server that is sent mutated requests over raw sockets", () => {
  it("answers as the OpenAPI document says, or closes the connection", async (test) => {
    const run = { campaign: fuzzRaw, seed: 20_261_122, count: 200 };
    const { requests, checked, byStatus } = await requireNothingFound(test, "fuzz-raw", run);
    assert.ok(requests >= run.count);
    assert.ok(checked > requests / 4, "many were compared with the document");
    assert.ok((byStatus["201"] ?? 0) > requests / 20, "many were accepted");
  });

  it("are reported when a reply is cut off, or is not in the document", async () => {
    const cut = readAllReplies(Buffer.from("HTTP/1.1 400 No\r\ncontent-length: 5\r\n\r\n{}"), [
      "POST",
    ]);
    assert.deepEqual([cut.replies.length, cut.rest.length > 0], [0, true]);
    const chunks = "HTTP/1.1 201 C\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    const head = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n";
    const whole = readAllReplies(Buffer.from(head + chunks + head), ["HEAD", "POST"]);
    assert.deepEqual(
      whole.replies.map(({ status, text }) => [status, text]),
      [
        [200, ""],
        [201, "{}"],
        [200, ""],
      ],
    );
    assert.equal(whole.rest.length, 0);
    const more = readAllReplies(Buffer.from(`${chunks}junk`), ["POST"]);
    assert.deepEqual([more.replies.length, more.rest.toString()], [1, "junk"]);
  });
});

describe("the check of the store", () => {
  it("reports accepted records that are missing or different, and refused ones that are stored", async () => {
    const server = await startServer();
    try {
      await server.operate(async (app) => {
        const { organizationId, token } = await makeCustomer(app, server.client);
        const type = typeNamed("person");
        const record = makeRecordGenerator(1).record(type);
        const write = { ...writeOf(JSON.stringify(record)), organizationId };
        const created = replyOf(201, '{"success":true,"write_count":1}');
        const refused = replyOf(400, '{"code":40000,"message":"No."}');
        const evaluate = (intent: WriteIntent, reply: Reply) =>
          new Expectation().evaluate(app, intent, reply);

        assert.equal((await evaluate(write, created)).length, 1, "accepted, and not there");
        assert.equal(
          (await evaluate({ ...write, valid: true }, refused)).length,
          1,
          "valid, and refused",
        );
        const reply = await server.client.send({
          method: "POST",
          path: "/v2/person",
          token,
          body: record,
        });
        assert.deepEqual(await evaluate(write, reply), []);
        assert.equal((await evaluate(write, refused)).length, 1, "refused, and there");
        const other = { ...write, text: JSON.stringify({ ...record, name: "other" }) };
        assert.equal((await evaluate(other, created)).length, 1, "there otherwise");

        const twice = new Expectation();
        await twice.evaluate(app, write, reply);
        assert.deepEqual(await twice.checkCounts(app, [organizationId]), []);
        await twice.evaluate(app, { ...write, text: '{"person_id":"more"}' }, created);
        assert.equal((await twice.checkCounts(app, [organizationId])).length, 1, "one too few");
      });
    } finally {
      await server.stop();
    }
  });
});

function replyOf(status: number, text: string): Reply {
  return makeReply(status, { "content-type": "application/json" }, Buffer.from(text));
}

function writeOf(text: string): WriteIntent {
  return {
    type: typeNamed("person"),
    organizationId: "o",
    operation: "add",
    form: "json",
    text,
    valid: false,
  };
}
