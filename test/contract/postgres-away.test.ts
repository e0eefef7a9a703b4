// The service on PostgreSQL while its server is away: every request is told when to try again, and
// later succeeds.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeCustomer, type Customer } from "../support/customer.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { makeRecordGenerator } from "../support/record-generator.ts";
import { recordTypeByName } from "../../src/domain/record-types.ts";
import { type Service, startService } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";

describe("the service on PostgreSQL", () => {
  let postgres: PostgresServer;
  let service: Service;
  let customer: Customer;
  const generator = makeRecordGenerator(1);
  const type = recordTypeByName("transaction");

  before(async () => {
    postgres = await startPostgres({ own: true, durable: true });
    const DATABASE_URL = await postgres.makeDatabase();
    service = await startService({ environment: { DATABASE_URL } });
    customer = await makeCustomer(service.app, service.client);
  });
  after(async () => {
    await service.stop();
    await postgres.remove();
  });

  function add() {
    assert.ok(type);
    const body = generator.record(type);
    const { token } = customer;
    return service.client.send({ method: "POST", path: "/v2/transaction", token, body });
  }

  function look(id: string) {
    const { token } = customer;
    return service.client.send({
      method: "GET",
      path: "/v2/transaction",
      query: { tx_id: id },
      token,
    });
  }

  it("answers 503 with Retry-After while the server is away, and works again when it is back", async () => {
    assert.equal((await add()).status, 201);
    await postgres.stop("kill");
    for (const reply of [await add(), await look("any")]) {
      assert.equal(reply.status, 503, reply.text);
      assert.equal(reply.body.code, 50301);
      assert.match(String(reply.headers["retry-after"]), /^[1-9]\d*$/);
      assert.doesNotMatch(reply.text, /postgres|password|127\.0\.0\.1|ECONN/i);
    }
    const ready = await service.client.send({ method: "GET", path: "/health/ready" });
    assert.equal(ready.status, 503);
    await postgres.start();
    await waitFor("the service to be ready", async () => {
      const { status } = await service.client.send({ method: "GET", path: "/health/ready" });
      return status === 200;
    });
    assert.equal((await add()).status, 201);
    assert.equal((await look("any")).status, 404);
    assert.ok(
      !service.log.some((line) => line.includes("not-to-be-shown")),
      "a password was logged",
    );
  });
});
