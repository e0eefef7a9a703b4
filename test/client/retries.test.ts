// When the client retries, after what delay, and what stays the same; when it gives up. Before anything has answered,
// the address is more likely wrong than the service down: the client gives up soon, and says why.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Sluice, SluiceError, SluiceNetworkError } from "../../client/src/sluice.ts";
import { errorCatalogue } from "../../src/domain/error.ts";
import {
  failConnection,
  follow,
  hang,
  named,
  page,
  recordWaits,
  refuse,
  reply,
  timeoutMs,
  written,
} from "./scripted-fetch.ts";
import { findFreePort } from "../support/free-port.ts";

const record = { sar_id: "sar-1", status: "PENDING", related_person_id: "p" } as const;
const sar = { ...record, timestamp: "2026-07-01T00:00:00Z" };
const good = reply(201);
const declaredJson = { "content-type": "application/json" };

describe("a temporary failure", () => {
  const passing = {
    "a lost connection": failConnection,
    "a truncated reply": () => new Response('{"success":', { status: 201 }),
    "an empty reply": () => new Response("", { status: 201 }),
    "a reply of a proxy": page(200),
    "a truncated error": () => new Response('{"code":', { status: 409, headers: declaredJson }),
    "408": refuse(40801),
    "500": refuse(50001),
    "502 of a proxy": page(502),
    "503": refuse(50301),
    "504 of a proxy": page(504),
    "520 of a proxy": page(520),
  };
  for (const [name, failure] of Object.entries(passing)) {
    it(`is retried under the same key: ${name}`, async (test) => {
      recordWaits(test);
      const { client, sent } = follow([failure, failure, good], { timeoutMs });
      assert.deepEqual(await client.customerSars.add(sar), written);
      assert.equal(sent.length, 3);
      assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
      const keys = new Set(sent.map(({ headers }) => headers["idempotency-key"]));
      assert.match([...keys].join(), /^[0-9a-f]{32}$/);
    });
  }

  it("is retried after delays that double each time, up to ten seconds, with full jitter", async (test) => {
    const all = recordWaits(test, 1);
    const { client } = follow([...Array.from({ length: 8 }, () => failConnection), good], {
      timeoutMs,
    });
    await client.customerSars.add(sar);
    assert.deepEqual(all, [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  });

  const away = { "no reply": failConnection, "503": refuse(50301, { "retry-after": "1" }) };
  for (const [name, failure] of Object.entries(away)) {
    it(`is retried for two minutes and no longer, with the key in the error: ${name}`, async (test) => {
      recordWaits(test, 1);
      const begun = performance.now();
      const { client } = follow([failure], { timeoutMs });
      await assert.rejects(client.customerSars.add(sar, { idempotencyKey: "k" }), {
        idempotencyKey: "k",
      });
      assert.ok(Math.abs(performance.now() - begun - 120_000) < 1);
    });
  }

  it("is retried for the given time, the last time at its end", async (test) => {
    const waits = recordWaits(test, 1);
    const { client, sent } = follow([failConnection], { timeoutMs, retryForMs: 500 });
    await assert.rejects(client.customerSars.add(sar), (error) => {
      assert.ok(error instanceof SluiceNetworkError && error instanceof SluiceError);
      assert.deepEqual([error.status, error.code, error.attempts], [0, 0, 3]);
      assert.equal(
        error.message,
        "No complete reply arrived (POST /v2/customer_sar, tried 3 times): fetch failed.",
      );
      return true;
    });
    assert.deepEqual(waits.map(Math.round), [200, 300]);
    assert.equal(sent.length, 3);
  });

  it("before an answer of the service does not count", async (test) => {
    const waits = recordWaits(test, 1);
    const outage = Array.from({ length: 8 }, () => failConnection);
    const { client } = follow([...outage, refuse(42901), ...outage, good], {
      timeoutMs,
      retryForMs: 60_000,
    });
    await client.customerSars.add(sar);
    assert.equal(waits[9], 200);
  });

  it("is reported at once if the service says that it will take longer", async () => {
    for (const code of [50301, 42901]) {
      const { client, sent } = follow([refuse(code, { "retry-after": "11" })], {
        retryForMs: 10_000,
      });
      await assert.rejects(client.customerSars.add(sar), { code, retryAfterMs: 11_000 });
      assert.equal(sent.length, 1);
    }
  });

  it("is reported as after the last retry, if there was a reply", async (test) => {
    recordWaits(test, 1);
    const { client } = follow([refuse(50301)], { timeoutMs, retryForMs: 1 });
    await assert.rejects(client.customerSars.add(sar), { code: 50301, message: "No." });
  });

  it("includes an attempt that takes too long", async () => {
    const { client, sent } = follow([hang, good], { timeoutMs: 5 });
    assert.deepEqual(await client.customerSars.add(sar), written);
    assert.equal(sent.length, 2);
    const never = follow([hang], { timeoutMs: 5, retryForMs: 0 });
    await assert.rejects(
      never.client.customerSars.add(sar),
      /^SluiceNetworkError: No reply arrived within 5 ms/,
    );
  });
});

describe("a refusal", () => {
  const passing: ReadonlySet<number> = new Set([40801, 40904, 42901, 50001, 50301]);
  const renewing: ReadonlySet<number> = new Set([40102, 40103]);
  for (const { code } of Object.values(errorCatalogue)) {
    if (passing.has(code) || renewing.has(code)) continue;
    it(`is final: ${code}`, async () => {
      const { client, sent, tokenRequests } = follow([refuse(code)]);
      await assert.rejects(client.customerSars.add(sar), { code, status: Math.floor(code / 100) });
      assert.deepEqual([sent.length, tokenRequests.length], [1, 1]);
    });
  }

  it("is final if something other than the service refuses", async () => {
    const { client, sent } = follow([page(404)]);
    await assert.rejects(client.customerSars.exists("sar-1"), {
      code: 404,
      message: /other than Sluice answered with status 404; check baseUrl/,
    });
    assert.equal(sent.length, 1);
  });

  it("includes a redirect, which the key does not follow", async () => {
    const elsewhere = { status: 307, headers: { location: "https://other.invalid" } };
    for (const redirect of [new Response(null, elsewhere), Response.error()]) {
      const { client, sent } = follow([() => redirect]);
      await assert.rejects(client.customerSars.add(sar), /redirect, which is not followed/);
      assert.equal(sent.length, 1);
    }
  });
});

describe("a reply with Retry-After", () => {
  it("is retried after that delay, and a little longer", async (test) => {
    const waits = recordWaits(test, 0.5);
    const inThree = { "retry-after": "3" };
    const { client } = follow(
      [refuse(42901, inThree), refuse(40904, inThree), refuse(50301, inThree), good],
      { timeoutMs },
    );
    await client.customerSars.add(sar);
    assert.deepEqual(waits, [3_100, 3_200, 3_100]);
  });

  it("can contain a date", async (test) => {
    test.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 6, 1) });
    const waits = recordWaits(test);
    const soon = { "retry-after": "Wed, 01 Jul 2026 00:00:07 GMT" };
    const past = { "retry-after": "Tue, 30 Jun 2026 00:00:00 GMT" };
    const { client } = follow([refuse(42901, soon), refuse(42901, past), good], { timeoutMs });
    await client.customerSars.add(sar);
    assert.deepEqual(waits, [7_000, 0]);
  });

  it("is not a failure, and takes nothing off the time", async (test) => {
    const waits = recordWaits(test);
    const turns = Array.from({ length: 50 }, (_, nth) => refuse(nth % 2 === 0 ? 42901 : 40904));
    const { client } = follow([...turns, failConnection, good], { timeoutMs, retryForMs: 1_000 });
    assert.deepEqual(await client.customerSars.add(sar), written);
    assert.equal(waits.length, 51);
  });

  it("is not retried forever", async (test) => {
    recordWaits(test);
    const { client, sent } = follow([refuse(42901, { "retry-after": "1" })], { timeoutMs });
    await assert.rejects(client.customerSars.add(sar), { code: 42901, retryAfterMs: 1_000 });
    assert.equal(sent.length, 101);
  });

  it("is reported to the caller if it is more than two minutes", async () => {
    const { client, sent } = follow([refuse(42901, { "retry-after": "121" })]);
    await assert.rejects(client.customerSars.add(sar), { code: 42901, retryAfterMs: 121_000 });
    assert.equal(sent.length, 1);
  });
});

describe("without retries", () => {
  const answers = { "no reply": failConnection, "503": refuse(50301), "429": refuse(42901) };
  for (const [name, failure] of Object.entries(answers)) {
    it(`the first reply is the last: ${name}`, async () => {
      const { client, sent } = follow([failure, good], { retryForMs: 0 });
      await assert.rejects(client.customerSars.add(sar), SluiceError);
      assert.equal(sent.length, 1);
    });
  }
});

describe("a reply", () => {
  it("to another call of this client is not accepted", async (test) => {
    recordWaits(test);
    let first = "";
    const { client, sent } = follow(
      [
        (asked) => {
          first = asked.headers["x-request-id"] ?? "";
          return named(first)(asked);
        },
        (asked) => named(first)(asked),
        (asked) => named(asked.headers["x-request-id"])(asked),
      ],
      { timeoutMs },
    );
    await client.customerSars.add(sar);
    await client.customerSars.add({ ...sar, sar_id: "sar-2" });
    assert.equal(sent.length, 3);
    assert.match(sent[2]?.headers["x-request-id"] ?? "", /^[0-9a-f]{32}\.3\.2$/);
  });

  it("to an earlier attempt of the same call is as good as one to the last", async (test) => {
    recordWaits(test);
    const { client, sent } = follow(
      [failConnection, (asked) => named(asked.headers["x-request-id"]?.replace(/2$/, "1"))(asked)],
      { timeoutMs },
    );
    assert.deepEqual(await client.customerSars.add(sar), written);
    assert.equal(sent.length, 2);
  });

  it("of success without what its call returns is none", async () => {
    const others = [{ ok: true }, []].map((body) => reply(200, body));
    for (const other of [...others, () => new Response(null, { status: 204 })]) {
      const { client } = follow([other], { retryForMs: 0 });
      const outcomes = await Promise.allSettled([
        client.customerSars.add(sar),
        client.customerSars.exists("sar-1"),
        client.customerSars.addAll([sar])[Symbol.asyncIterator]().next(),
        client.persons.delete("p", "a test"),
        client.deletions.status("del_1"),
      ]);
      for (const { status, ...outcome } of outcomes) {
        assert.ok("reason" in outcome && outcome.reason instanceof SluiceNetworkError, status);
      }
    }
  });

  it("with an id that a proxy generated, or none, is accepted", async () => {
    for (const id of ["6f1c-made-by-a-proxy", undefined]) {
      const { client, sent } = follow([named(id)]);
      assert.deepEqual(await client.customerSars.add(sar), written);
      assert.equal(sent.length, 1);
    }
  });
});

describe("an abort signal", () => {
  const reason = new Error("enough");

  it("that is already aborted prevents sending", async () => {
    const { client, sent, tokenRequests } = follow([good]);
    const signal = AbortSignal.abort(reason);
    await assert.rejects(client.customerSars.add(sar, { signal }), (error) => error === reason);
    assert.equal(sent.length, 0);
    assert.ok(tokenRequests.length <= 1);
  });

  it("ends the current attempt", async () => {
    const stop = new AbortController();
    const { client } = follow([
      (asked) => {
        queueMicrotask(() => stop.abort(reason));
        return hang(asked);
      },
    ]);
    const { signal } = stop;
    await assert.rejects(client.customerSars.add(sar, { signal }), (error) => error === reason);
  });

  it("ends the wait before the next attempt", async () => {
    const stop = new AbortController();
    const { client, sent } = follow([
      (asked) => {
        setTimeout(() => stop.abort(reason), 1);
        return refuse(42901, { "retry-after": "100" })(asked);
      },
    ]);
    const { signal } = stop;
    await assert.rejects(client.customerSars.add(sar, { signal }), (error) => error === reason);
    assert.equal(sent.length, 1);
  });
});

const getToken = async () => ({ token: "t", expiry: 0 });
const other = { apiKey: undefined, getToken, timeoutMs };

describe("before the first reply", () => {
  for (const [what, answer] of Object.entries({ none: failConnection, "of a site": page(200) })) {
    it(`a call is retried for five seconds; reply: ${what}`, async (test) => {
      const waits = recordWaits(test, 1);
      const { client } = follow([answer], other);
      await assert.rejects(client.persons.exists("p"), SluiceNetworkError);
      assert.deepEqual(waits.map(Math.round), [200, 400, 800, 1_600, 2_000]);
    });
  }

  it("ends with any reply, such as that of a proxy", async (test) => {
    recordWaits(test, 1);
    const begun = performance.now();
    const { client } = follow([failConnection, refuse(50301), failConnection], other);
    await assert.rejects(client.persons.exists("p"), SluiceNetworkError);
    assert.ok(Math.abs(performance.now() - begun - 120_000) < 1);
  });
});

/** The message of the error of a call that is not retried. */
async function messageAt(baseUrl: string): Promise<string> {
  const client = new Sluice({ baseUrl, getToken, retryForMs: 0 });
  const error: unknown = await client.persons.exists("p-secret").catch((caught: unknown) => caught);
  assert.ok(error instanceof SluiceNetworkError);
  return error.message;
}

describe("the error of a call without a reply names", () => {
  const where = "No complete reply arrived (GET /v2/person): ";

  it("a host that is not found", async () => {
    const message = await messageAt("http://sluice.invalid:8080");
    assert.match(message, /: getaddrinfo E[A-Z_]+ sluice\.invalid\.$/);
  });

  it("a port that refuses", async () => {
    const port = await findFreePort();
    const message = await messageAt(`http://localhost:${port}`);
    assert.match(message, /: connect ECONNREFUSED [\d.:]+\.$/);
  });

  it("a server without TLS", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      const message = await messageAt(`https://127.0.0.1:${port}`);
      assert.match(message, /: that port may speak HTTP without TLS \(ERR_SSL_[A-Z_]+\)\.$/);
    } finally {
      server.close();
    }
  });

  it("what another runtime says, without the id in the query", async () => {
    const address = "https://sluice.invalid/v2/person?person_id=p-secret";
    const failure = new TypeError(`error sending request for url (${address}): refused`);
    const { client } = follow([() => Promise.reject(failure)], { retryForMs: 0 });
    await assert.rejects(client.persons.exists("p-secret"), {
      message: `${where}error sending request for url (https://sluice.invalid/v2/person): refused.`,
    });
  });
});
