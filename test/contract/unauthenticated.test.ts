// Paths that need no credential are limited per network address; health checks never are.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { publicRoutes } from "../../src/process/operations.ts";
import { limits } from "../../src/domain/limits.ts";
import { makeClient, type Reply } from "../support/http-client.ts";
import { startScene } from "./scene.ts";

const scene = await startScene();
const customer = await scene.makeCustomer();
/** A client whose replies are not compared with the document, which does not include pages. */
const unauthenticated = makeClient(scene.client.address);
after(() => {
  unauthenticated.close();
  return scene.stop();
});

const burst = limits.unauthenticatedRequestsBurst;

async function send(path: string, address: string): Promise<Reply> {
  return unauthenticated.send({ method: "HEAD", path, headers: { "x-forwarded-for": address } });
}

async function exhaust(path: string, address: string): Promise<Reply> {
  const atOnce = 50;
  for (let count = 0; count < burst; count += atOnce) {
    const sent = Array.from({ length: Math.min(atOnce, burst - count) }, () => send(path, address));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    assert.ok(!statuses.includes(429), `${path}, after ${count} requests`);
  }
  return send(path, address);
}

const limitedPaths = publicRoutes.filter(({ limited }) => limited).map(({ path }) => path);

describe("requests without a credential", () => {
  for (const [index, path] of [...limitedPaths, "/nothing", "/v2/nothing"].entries()) {
    it(`are answered with 429 beyond the limit of their address: ${path}`, async () => {
      const address = `192.0.2.${index + 1}`;
      const { status, headers } = await exhaust(path, address);
      assert.equal(status, 429);
      assert.equal(headers["retry-after"], "1");
      assert.equal(headers["ratelimit"], '"unauthenticated";r=0;t=1');
      assert.equal(headers["ratelimit-policy"], `"unauthenticated";q=${burst};w=2`);
      scene.service.clock.advanceMs(1_000);
      assert.notEqual((await send(path, address)).status, 429);
    });
  }

  it("share one limit for all paths, and for all addresses of a /64", async () => {
    await exhaust("/docs", "2001:db8:1:1::1");
    assert.equal((await send("/openapi.json", "2001:db8:1:1::1")).status, 429);
    assert.equal((await send("/nothing", "2001:db8:1:1:ffff::2")).status, 429);
    assert.equal((await send("/docs", "2001:db8:1:2::1")).status, 200);
  });

  it("do not affect health checks and requests with a credential", async () => {
    const address = "192.0.2.100";
    assert.equal((await exhaust("/docs", address)).status, 429);
    assert.equal((await exhaust("/health/live", address)).status, 200);
    assert.equal((await exhaust("/health/ready", address)).status, 200);
    const headers = { "x-forwarded-for": address };
    const ask = { method: "GET", path: "/v2/person", query: { person_id: "1" }, headers };
    assert.equal((await scene.ask(customer, ask)).status, 404);
  });

  it("are counted in the metrics when they are refused", async () => {
    const { text } = await scene.client.send({ method: "GET", path: "/metrics" });
    assert.match(text, /^sluice_rate_limited_total\{limit="unauthenticated"\} [1-9]/m);
  });
});
