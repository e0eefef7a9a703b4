// GET /metrics: who can read it, and that concurrent scrapes are rendered once.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startScene } from "../../contract/scene.ts";
import { waitFor } from "../../support/wait-for.ts";

const token = "0123456789abcdef0123456789abcdef";
const scene = await startScene({ environment: { METRICS_TOKEN: token } });
const open = await startScene();
after(() => Promise.all([scene.stop(), open.stop()]));

const metrics = { method: "GET", path: "/metrics" };

function ask(authorization: string | undefined, address: string) {
  const headers = { authorization, "x-forwarded-for": address };
  return scene.client.send({ ...metrics, headers });
}

describe("metrics with a token", () => {
  it("are read with it", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER "]) {
      const reply = await ask(`${scheme} ${token}`, "192.0.2.1");
      assert.equal(reply.status, 200);
      assert.match(reply.text, /^sluice_connections \d+$/m);
    }
    const head = await scene.client.send({ ...metrics, method: "HEAD", token });
    assert.equal(head.status, 200);
  });

  it("are refused without it, with another one and with another kind of credential", async () => {
    const { token: accessToken } = await scene.makeCustomer();
    for (const [sent, code] of [
      [undefined, 40101],
      ["", 40101],
      [token, 40101],
      [`Basic ${token}`, 40101],
      [`Bearer ${token}x`, 40102],
      [`Bearer ${token.slice(1)}`, 40102],
      [`Bearer ${accessToken}`, 40102],
    ] as const) {
      const reply = await ask(sent, "192.0.2.2");
      assert.deepEqual([reply.status, reply.body.code], [401, code], `${sent}`);
      assert.match(reply.headers["www-authenticate"] ?? "", /^Bearer realm="sluice"/);
      assert.doesNotMatch(reply.text, /sluice_connections/);
      assert.ok(!reply.text.includes(token));
    }
  });

  it("can't be used to guess the token, and can still be read with the right one", async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) {
      statuses.push((await ask("Bearer wrong", "192.0.2.3")).status);
    }
    assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429]);
    assert.equal((await ask(`Bearer ${token}`, "192.0.2.3")).status, 200);
  });

  it("are not limited with it, as they are without", async () => {
    const head = { ...metrics, method: "HEAD", headers: { "x-forwarded-for": "192.0.2.4" } };
    for (let count = 0; count < 250; count += 50) {
      const sent = Array.from({ length: 50 }, () => scene.client.send({ ...head, token }));
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      assert.deepEqual(new Set(statuses), new Set([200]));
    }
  });
});

describe("metrics without a token", () => {
  it("can be read by anybody", async () => {
    assert.equal((await open.client.send(metrics)).status, 200);
  });

  it("are rendered once for all concurrent requests", async () => {
    const held = open.service.holdStore("deletionFigures");
    const scrapes = 50;
    const asked = Array.from({ length: scrapes }, () => open.client.send(metrics));
    const { connections } = open.service.sharedBounds;
    await waitFor("all to be there", () => connections.count >= scrapes);
    for (let count = 0; count < 3; count += 1) {
      assert.equal((await open.client.send({ method: "GET", path: "/health/live" })).status, 200);
    }
    held.release();
    const texts = new Set((await Promise.all(asked)).map(({ text }) => text));
    // One that was late may have arrived after the end.
    assert.ok(texts.size <= 3, `${texts.size} renderings`);
  });
});
