// Requests that are nearly right: the error says what was probably meant.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Customer } from "../support/customer.ts";
import { exchangeRaw } from "../support/raw-socket.ts";
import { type Scene, startScene } from "./scene.ts";

describe("the error of a request that is nearly right", () => {
  let scene: Scene;
  let customer: Customer;
  before(async () => {
    scene = await startScene();
    customer = await scene.makeCustomer();
  });
  after(() => scene.stop());

  for (const [path, query, hint] of [
    ["/v2/transaction", { id: "1" }, "?tx_id=…, not ?id=…"],
    ["/v2/transaction", { txid: "1" }, "?tx_id=…, not ?txid=…"],
    ["/v2/person", { other: "1" }, "?person_id=…"],
    ["/v2/transaction/1", {}, "The id is a query parameter: /v2/transaction?tx_id=…"],
    ["/v2/deletion_request/1", {}, "/v2/deletion_request?deletion_request_id=…"],
  ] as const) {
    it(`says where the id is expected: ${path} with ${JSON.stringify(query)}`, async () => {
      const reply = await scene.ask(customer, { method: "GET", path, query });
      assert.ok(reply.text.includes(hint), reply.text);
    });
  }

  for (const framing of ["Content-Length: 0", "Transfer-Encoding: chunked"]) {
    it(`says that the body of a DELETE may have been dropped: ${framing}`, async () => {
      const text = await exchangeRaw(
        scene.client.address,
        `DELETE /v2/person HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.token}\r\n` +
          `Connection: close\r\nContent-Type: application/json\r\n${framing}\r\n\r\n` +
          (framing.startsWith("T") ? "0\r\n\r\n" : ""),
      );
      assert.match(text, /send POST \/v2\/deletion_request instead/);
    });
  }
});
