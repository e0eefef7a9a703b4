// A service without a free file descriptor: it stays, answers what it can, says why it can't answer the rest, and
// recovers.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { Agent, request } from "node:http";
import { describe, it } from "node:test";
import { pressureSampleMs } from "../../src/http/load/load-shedding.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { operate } from "../support/server.ts";
import { startServerProcess } from "../support/server-process.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";

/** A thread that starts needs fewer. */
const few = 12;
const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What needs a thread, a module, a file or nothing of these, some of it for the first time. */
function requestsOf({ token }: Customer, address: string, no: number): readonly Asked[] {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const record = (index: number) =>
    `{"assessment_id":"${no}-${index}","type":"a","outcome":"LOW","timestamp":"2026-01-31T09:30:00Z"}`;
  const list = Array.from({ length: 500 }, (_, index) => record(index + 1)).join(",");
  const path = "/v2/risk_assessment";
  return [
    { method: "POST", path, headers, body: record(0) },
    { method: "GET", path: `${path}?assessment_id=${no}-0`, headers },
    { method: "POST", path, headers, body: `[${list}]` },
    { method: "GET", path: "/health/ready" },
    { method: "GET", path: "/metrics" },
    { method: "GET", path: "/docs" },
    { method: "GET", path: "/openapi.json" },
    { method: "GET", path: "/console/sign-in" },
    { method: "GET", path: "/console/asset/console.css" },
    { method: "POST", path: "/console/passkey/options", headers: { origin: address } },
  ];
}

describe("a service without a free file descriptor", { skip: !hasPrlimit }, () => {
  it("answers with 503 that says so, or as usual, and recovers", async () => {
    const folder = makeTempFolder();
    const environment = {
      PORT: "0",
      DATABASE_URL: `sqlite:${folder}/sluice.db`,
      DATA_DIR: folder,
      LOG_LEVEL: "warn",
    };
    const server = await startServerProcess(environment);
    const customer = await operate(environment, (app) => makeCustomer(app, server.client));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = ({ method, path, headers = {}, body }: Asked) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const sent = request(`${server.address}${path}`, { method, agent, headers }, (reply) => {
          let text = "";
          reply.on("data", (chunk: Buffer) => (text += chunk.toString()));
          reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text }));
        });
        sent.on("error", reject).end(body);
      });
    const bound = (files: number) =>
      execFileSync("prlimit", ["--pid", String(server.child.pid), `--nofile=${files}:`]);
    // On the one connection that is open when the descriptors are used up.
    assert.equal((await ask({ method: "GET", path: "/health/live" })).status, 200);
    // With few, a thread can fail at any step of its start, and has closed its own when that is known.
    const open = new Set(readdirSync(`/proc/${server.child.pid}/fd`).map(Number));
    const free = Array.from({ length: open.size + few }, (_, no) => no).filter(
      (no) => !open.has(no),
    );
    const unexpected: string[] = [];
    for (const path of ["/openapi.json", "/docs/reference.js"]) {
      for (const limit of free.slice(0, few)) {
        bound(limit);
        const { status, text } = await ask({ method: "GET", path });
        if (status === 200) break;
        const says = status === 503 && text.includes("no free file descriptors");
        if (!says) unexpected.push(`${path} with ${limit}: ${status} ${text}`);
      }
    }
    bound(10);
    const startedAt = performance.now();
    let refused = 0;
    for (const asked of requestsOf(customer, server.address, 1)) {
      const { status, text } = await ask(asked);
      assert.ok([200, 201, 503].includes(status), `${asked.path}: ${status} ${text}`);
      if (text.includes("no free file descriptors")) refused += 1;
    }
    assert.ok(refused > 0);
    await waitFor("samples", () => performance.now() - startedAt > pressureSampleMs * 4);
    assert.equal(server.child.exitCode, null);
    bound(1_024);
    for (const asked of requestsOf(customer, server.address, 2)) {
      await waitFor(`${asked.method} ${asked.path}`, async () =>
        [200, 201, 409].includes((await ask(asked)).status),
      );
    }
    agent.destroy();
    assert.equal(await server.end("SIGTERM"), 0);
    assert.deepEqual(unexpected, []);
  });
});
