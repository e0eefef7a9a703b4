// A client that closes its side within a request that waits for the reply before it: its parser is stopped then, and
// has to learn of the end when the request has its turn.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { pathOf, startScene, typeNamed } from "../../contract/scene.ts";
import { openRaw } from "../../support/raw-socket.ts";
import { waitFor } from "../../support/wait-for.ts";

const person = typeNamed("person");

describe("a client that closes its side within a request that waits", async () => {
  const scene = await startScene();
  const customer = await scene.makeCustomer();
  after(() => scene.stop());

  /** The first request was read in parts, as every chunked body is. */
  function add(id: string, framing: string): string {
    const body = JSON.stringify(scene.records.record(person, { person_id: id }));
    const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    return `${headOf(framing)}${framing.startsWith("transfer") ? chunk : ""}`;
  }

  function headOf(framing: string): string {
    return (
      `POST ${pathOf(person)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.token}\r\n` +
      `Content-Type: application/json\r\n${framing}\r\n\r\n`
    );
  }

  for (const framing of ["transfer-encoding: chunked", "content-length: 100"]) {
    it(`is answered at once, where the body has a ${framing}`, async () => {
      const held = scene.service.holdStore("writeRecords");
      const { socket, received, closed } = openRaw(scene.client.address);
      socket.setNoDelay().write(add(framing, "transfer-encoding: chunked"));
      await held.called;
      const head = headOf(framing);
      socket.write(head.slice(0, -2));
      const { turns } = scene.service.sharedBounds;
      socket.end(head.slice(-2));
      await waitFor("the second request", () => turns.waiting === 1);
      // Whatever was sent before has arrived by the end of another exchange.
      for (let times = 0; times < 3; times += 1) {
        await scene.client.send({ method: "GET", path: "/health/live" });
      }
      held.release();
      await closed;
      const statuses = [...received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      assert.deepEqual(statuses, ["201", "400"]);
      assert.match(received(), /"code":40003,/);
    });
  }
});
