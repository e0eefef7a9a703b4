// Connections are limited, in total and per address, and clients that only hold them open can't
// keep others out.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import type { BoundsOptions } from "../../../src/http/connection/shared-bounds.ts";
import { OpenConnections, proxyCheck } from "../../../src/http/connection/open-connections.ts";
import { type Service, startService } from "../../support/service.ts";
import { openRaw, type RawConnection } from "../../support/raw-socket.ts";
import { waitFor } from "../../support/wait-for.ts";

const live = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";

async function open({ address }: Service): Promise<RawConnection> {
  const opened = openRaw(address);
  await once(opened.socket, "connect");
  return opened;
}

/** Resolves when the reply has arrived, or the connection is closed without one. */
async function ask({ socket, replies }: RawConnection): Promise<boolean> {
  const before = replies().length;
  socket.write(live);
  const isAnswered = (): boolean => replies().length > before;
  await waitFor("a reply or the end", () => isAnswered() || socket.closed);
  return isAnswered();
}

async function withService(
  options: { bounds?: BoundsOptions; environment?: Record<string, string> },
  test: (service: Service) => Promise<void>,
): Promise<void> {
  const service = await startService(options);
  try {
    await test(service);
  } finally {
    await service.stop();
  }
}

async function openMany(service: Service, count: number): Promise<RawConnection[]> {
  const opened: RawConnection[] = [];
  for (let index = 0; index < count; index += 1) opened.push(await open(service));
  const { connections } = service.sharedBounds;
  await waitFor("all to be open", () => connections.count >= count);
  return opened;
}

describe("connections beyond the bound", () => {
  for (const [what, bounds, environment] of [
    ["of an address", { connectionsPerAddressMax: 4 }, { TRUST_PROXY: "off" }],
    ["of all", { connectionsMax: 4 }, {}],
  ] as const) {
    it(`${what} replace the idle ones, the oldest first`, async () => {
      await withService({ bounds, environment }, async (service) => {
        const idle = await openMany(service, 4);
        const next = await open(service);
        assert.equal(await ask(next), true);
        await waitFor("the oldest to be closed", () => idle[0]?.socket.closed);
        assert.deepEqual(
          idle.map(({ socket }) => socket.closed),
          [true, false, false, false],
        );
        assert.equal(service.sharedBounds.connections.count, 4);
        assert.equal(service.sharedBounds.connections.evicted, 1);
        for (const { socket } of [...idle, next]) socket.destroy();
      });
    });

    it(`${what} do not replace those that were served recently`, async () => {
      await withService({ bounds, environment }, async (service) => {
        const [good, ...idle] = await openMany(service, 4);
        assert.ok(good !== undefined);
        for (let round = 0; round < 12; round += 1) {
          assert.equal(await ask(good), true, `round ${round}`);
          idle.push(await open(service));
          assert.equal(await ask(idle.at(-1) ?? good), true);
        }
        assert.equal(good.socket.closed, false);
        assert.equal(service.sharedBounds.connections.count, 4);
        for (const { socket } of [good, ...idle]) socket.destroy();
      });
    });

    it(`${what} are closed at once where all have a request in progress`, async () => {
      await withService({ bounds, environment }, async (service) => {
        const held = service.holdStore("probeWrite");
        const busy = await openMany(service, 4);
        for (const { socket } of busy) socket.write(live.replace("live", "ready"));
        await held.called;
        const { connections } = service.sharedBounds;
        await waitFor("one to be refused", async () => {
          const refused = await open(service);
          await ask(refused);
          return connections.refused > 0;
        });
        held.release();
        const served = busy.filter(({ socket }) => !socket.closed);
        assert.ok(served.length > 0);
        for (const { socket } of busy) socket.destroy();
      });
    });
  }

  it("of an address do not count for a proxy, and its clients share the bound of all", async () => {
    const bounds = { connectionsPerAddressMax: 2, connectionsMax: 6 };
    await withService({ bounds }, async (service) => {
      const opened = await openMany(service, 6);
      for (const one of opened) assert.equal(await ask(one), true);
      for (const { socket } of opened) socket.destroy();
    });
  });

  it("are counted in the metrics", async () => {
    await withService({ bounds: { connectionsMax: 3 } }, async (service) => {
      const idle = await openMany(service, 3);
      const { text } = await service.client.send({ method: "GET", path: "/metrics" });
      assert.match(text, /^sluice_connections 3$/m);
      assert.match(text, /^sluice_connections_closed_total\{reason="idle"\} 1$/m);
      for (const { socket } of idle) socket.destroy();
    });
  });
});

describe("connections that their clients reset at once", () => {
  it("are not counted as refused, as those of probes would be", async () => {
    await withService({}, async (service) => {
      const { hostname, port } = new URL(service.address);
      const reset = Array.from({ length: 50 }, async () => {
        const socket = connect(Number(port), hostname);
        await once(socket, "connect");
        socket.resetAndDestroy();
      });
      await Promise.all(reset);
      // It is accepted after them.
      const next = await open(service);
      assert.equal(await ask(next), true);
      assert.equal(service.sharedBounds.connections.refused, 0);
      next.socket.destroy();
    });
  });
});

describe("connections that one client opens at once", () => {
  // Only Linux has every address of 127.0.0.0/8.
  const skip = process.platform !== "linux" && "needs a second address";
  it(
    "are accepted before they are served, so that another client need not wait",
    { skip },
    async () => {
      await withService({ environment: { TRUST_PROXY: "off" } }, async ({ address }) => {
        const { hostname: host, port } = new URL(address);
        let served = 0;
        const connectFrom = (localAddress: string): Socket => {
          const socket = connect({ host, port: Number(port), localAddress });
          socket.on("error", () => undefined).write(live);
          return socket;
        };
        const many = Array.from({ length: 500 }, () =>
          connectFrom("127.0.0.2").once("data", () => (served += 1)),
        );
        const other = connectFrom("127.0.0.3");
        await once(other, "data");
        assert.ok(served < many.length / 2, `${served} were served before`);
        await waitFor("all to be served", () => served === many.length);
        for (const socket of [...many, other]) socket.destroy();
      });
    },
  );
});

describe("connections of one IPv6 network", () => {
  class FakeSocket extends EventEmitter {
    readonly remoteAddress: string;
    readonly bytesWritten = 0;

    constructor(remoteAddress: string) {
      super();
      this.remoteAddress = remoteAddress;
    }

    destroy(): void {
      this.emit("close");
    }
  }

  it("are bounded for its /64, its /56 and its /48", () => {
    const connections = new OpenConnections({
      connectionsMax: 1_000,
      connectionsPerAddressMax: 10,
      isProxy: () => false,
    });
    const openFrom = (network: (no: number) => string, hosts: number) => {
      for (let no = 0; no < hosts; no += 1) {
        connections.add(new FakeSocket(network(no)) as unknown as Socket);
      }
      return connections.count;
    };
    assert.equal(
      openFrom((no) => `2001:db8:1:1::${no}`, 50),
      10,
    );
    assert.equal(
      openFrom((no) => `2001:db8:1:${no}::1`, 50),
      20,
    );
    assert.equal(
      openFrom((no) => `2001:db8:1:${no}00::1`, 50),
      30,
    );
    assert.equal(
      openFrom((no) => `2001:db8:2:${no}00::1`, 50),
      60,
    );
    assert.equal(
      openFrom((no) => `192.0.2.${no}`, 50),
      110,
    );
  });
});

describe("a proxy", () => {
  it("is recognized by its address or its network", () => {
    const isProxy = proxyCheck("10.0.0.1, 192.168.0.0/16,2001:db8::/32");
    for (const [address, known] of [
      ["10.0.0.1", true],
      ["::ffff:10.0.0.1", true],
      ["10.0.0.2", false],
      ["192.168.7.9", true],
      ["2001:db8:1::1", true],
      ["2001:db9::1", false],
    ] as const) {
      assert.equal(isProxy(address), known, address);
    }
    assert.equal(proxyCheck(false)("10.0.0.1"), false);
    assert.equal(proxyCheck("0.0.0.0/0")("10.0.0.1"), true);
  });
});
