// Numbers that a double does not hold exactly: each is an error of its own item, whatever else is
// in the request.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { inexactMessage } from "../../src/domain/json/exact-number.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import { linesOf } from "../support/stream-client.ts";
import { assertCode, fieldsOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { client } = scene;
const { token } = await scene.makeCustomer();
after(() => scene.stop());

const type = typeNamed("transaction");
const inexact = "12345678901234567.5";

/** Texts, because no value of the language holds such a number. */
function item(id: string, amount: string, more = ""): string {
  const { tx_id: _id, amount: _amount, amount_usd: _usd, ...rest } = type.example;
  return `{"tx_id":"${id}","amount":${amount}${more},${JSON.stringify(rest).slice(1)}`;
}

function send(body: string, headers: Ask["headers"] = {}): Promise<Reply> {
  const json = { "content-type": "application/json" };
  const path = "/v2/transactions/batch";
  return client.send({ method: "POST", path, token, body, headers: { ...json, ...headers } });
}

describe("a number that can't be stored exactly", () => {
  it("is an error of only that item in a lenient list", async () => {
    const body = `[${item("lenient 1", "1")},${item("lenient 2", inexact)},${item("lenient 3", "3")}]`;
    const { status, body: reply } = await send(body, { prefer: "handling=lenient" });
    assert.equal(status, 200);
    assert.deepEqual(
      reply.results?.map((result) => [result.id, result.status]),
      [
        ["lenient 1", "created"],
        ["lenient 2", "refused"],
        ["lenient 3", "created"],
      ],
    );
    assert.deepEqual(reply.results?.[1]?.errors, [{ field: "amount", message: inexactMessage }]);
  });

  it("hides no other error of a strict list", async () => {
    const more = ',"amount_usd":1e-400,"unknown_field":1';
    const list = [item("a", inexact, more), item("b", '"text"'), item("c", `1.${"0".repeat(400)}`)];
    const reply = await send(`[${list.join(",")}]`);
    assertCode(reply, 40000);
    assert.deepEqual(fieldsOf(reply), [
      "[0].amount",
      "[0].amount_usd",
      "[0].unknown_field",
      "[1].amount",
      "[2].amount",
    ]);
  });

  it("is reported with the id in the line of a stream that contains it", async () => {
    const body = `${item("line 1", "1")}\n${item("line 2", inexact)}\n`;
    const reply = await send(body, { "content-type": "application/x-ndjson" });
    const [refusal, summary] = linesOf(reply);
    assert.deepEqual([refusal?.["line"], refusal?.["id"], refusal?.["code"]], [2, "line 2", 40000]);
    assert.deepEqual(refusal?.["errors"], [{ field: "amount", message: inexactMessage }]);
    assert.equal(summary?.["write_count"], 1);
  });

  it("is also an error of requests that are not records", async () => {
    const path = "/v2/deletion_request";
    const body = `{"resource_type":"transaction","resource_id":${inexact},"reason":"r"}`;
    const headers = { "content-type": "application/json" };
    const reply = await client.send({ method: "POST", path, token, body, headers });
    assert.deepEqual([reply.status, reply.body.errors?.[0]?.field], [400, "resource_id"]);
  });
});
