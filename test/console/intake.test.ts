// The refused requests on the page of the health: counted by status, without existence checks that find nothing.

import assert from "node:assert/strict";
import { it } from "node:test";
import { makeCustomer } from "../support/customer.ts";
import { startService } from "../support/service.ts";
import { addOperator, read, signIn } from "./browse.ts";

it("the health counts no existence check that finds nothing as refused", async (test) => {
  const service = await startService();
  test.after(() => service.stop());
  const { app, client } = service;
  const { token } = await makeCustomer(app, client);
  const ask = (path: string, method = "GET") => client.send({ method, path: `/v2/${path}`, token });
  for (const method of ["GET", "HEAD"]) {
    assert.equal((await ask("person?person_id=none", method)).status, 404);
  }
  assert.equal((await ask("deletion_request?deletion_request_id=none")).status, 404);
  await addOperator(app, ["operator"]);
  const cookie = await signIn(app, client, "operator");
  const { text } = await read(client, "/console/health", { cookie });
  assert.match(text, /Refused requests in the last hour/);
  assert.match(text, />404\s*<[^]*?class="number">1</);
});
