// URLs of webhook endpoints to which nothing could ever be sent.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { startScene } from "../../contract/scene.ts";

const scene = await startScene();
after(() => scene.stop());

it("are refused when the endpoint is created, with the reason", async () => {
  const customer = await scene.makeCustomer();
  for (const url of ["https://10.0.0.1/a", "http://a.example/a", "https://[::1]/a"]) {
    const reply = await scene.ask(customer, {
      method: "POST",
      path: "/v2/webhook_endpoint",
      body: { url, events: ["sluice.deletion.completed"] },
    });
    assert.equal(reply.status, 400, url);
    assert.match(reply.text, /"field":"url","message":"must /);
  }
});
