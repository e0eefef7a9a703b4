// A proxy that passes on addresses with ports: one client has one address, whatever port it has used.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { dropForwardedPorts } from "../../../src/http/connection/http-server.ts";
import { startService } from "../../support/service.ts";

const consoleUrl = "https://sluice.example:8443";
const service = await startService({
  environment: {
    METRICS_TOKEN: "0123456789abcdef",
    CONSOLE_URL: consoleUrl,
    TRUST_PROXY: "127.0.0.1,10.0.0.0/8",
  },
});
after(() => service.stop());

describe("the header X-Forwarded-For", () => {
  for (const [sent, read] of [
    ["192.0.2.1:4711", "192.0.2.1"],
    ["[2001:db8::1]:4711", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["2001:db8::1", "2001:db8::1"],
    ["192.0.2.1:1, [::1]:2,unknown:3", "192.0.2.1, ::1, unknown:3"],
    ["999.0.2.1:80", "999.0.2.1:80"],
  ] as const) {
    it(`${sent} is read as ${read}`, () => {
      const headers = { "x-forwarded-for": sent };
      dropForwardedPorts(headers);
      assert.equal(headers["x-forwarded-for"], read);
    });
  }
});

describe("a client behind a proxy that adds ports", () => {
  for (const address of ["198.51.100.7", "[2001:db8:7::1]"]) {
    it(`is limited by its address ${address}, also behind a second trusted proxy`, async () => {
      const statuses = new Set<number>();
      for (let port = 1_000; port < 1_040; port += 1) {
        const chain = port % 2 === 0 ? "" : `, 10.1.2.3:${port}`;
        const headers = { "x-forwarded-for": `${address}:${port}${chain}` };
        const path = "/metrics";
        statuses.add((await service.client.send({ method: "GET", path, headers })).status);
      }
      assert.deepEqual([...statuses], [401, 429]);
      const logged = service.log.filter((line) => line.includes("an authentication failed"));
      assert.ok(logged.at(-1)?.includes(`"address":"${address.replaceAll(/[[\]]/g, "")}"`));
    });
  }
});

describe("the console with CONSOLE_URL on a port", () => {
  for (const host of ["sluice.example:8443", "sluice.example"]) {
    it(`is reached through a proxy that passes the host ${host}`, async () => {
      const headers = { host, "x-forwarded-proto": "https", origin: consoleUrl };
      const page = { path: "/console/sign-in", headers };
      assert.equal((await service.client.send({ method: "GET", ...page })).status, 200);
      const form = { method: "POST", path: "/console/passkey/challenge", headers };
      const { status } = await service.client.send(form);
      assert.ok(status !== 403, `${status}`);
    });
  }
});
