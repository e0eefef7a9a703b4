// What is counted of refused requests: on the page of the health, without existence checks that find nothing, and in
// the metric of missing rights.

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

it("a metric counts missing rights, and none on confidential types", async (test) => {
  const service = await startService();
  test.after(() => service.stop());
  const { app, client } = service;
  const { token } = await makeCustomer(app, client, { scopes: ["person:read"] });
  for (const path of ["company?company_id=c", "customer_sar?sar_id=s"]) {
    assert.equal((await client.send({ method: "GET", path: `/v2/${path}`, token })).status, 403);
  }
  const { text } = await client.send({ method: "GET", path: "/metrics" });
  assert.match(text, /^sluice_rights_refused_total\{where="api"\} 1$/m);
});
