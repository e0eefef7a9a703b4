// The demonstration's client, against servers that behave and servers that do not.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { OperatorError } from "../../../src/actions/operator-error.ts";
import { Client } from "../../../src/cli/demo/client.ts";
import { Meter } from "../../../src/cli/demo/meter.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
});

/** A server that gives these answers one after the other, and the last one from then on. */
async function makeSubject(
  ...answers: readonly Answer[]
): Promise<{ client: Client; meter: Meter; asked: () => number; stopping: AbortController }> {
  let asked = 0;
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    request.resume().on("end", () => answer?.(request, response));
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const meter = new Meter();
  const stopping = new AbortController();
  const client = new Client(`http://127.0.0.1:${port}`, { meter, stopping: stopping.signal });
  return { client, meter, asked: () => asked, stopping };
}

function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

describe("the demonstration's client", () => {
  it("sends JSON and the authorization, and gives status and body back", async () => {
    const { client } = await makeSubject((request, response) => {
      const { authorization, "content-type": type } = request.headers;
      json(201, { method: request.method, url: request.url, authorization, type })(
        request,
        response,
      );
    });
    client.authorize("Bearer x");
    assert.deepEqual(await client.send("POST", "/v2/a?b=c", { d: 1 }), {
      request: "POST /v2/a?b=c",
      status: 201,
      body: {
        method: "POST",
        url: "/v2/a?b=c",
        authorization: "Bearer x",
        type: "application/json",
      },
    });
  });

  it("asks again after a 429, as long as Retry-After says, and counts the waits", async () => {
    const limited = json(429, { code: 42901 }, { "retry-after": "0" });
    const { client, meter, asked } = await makeSubject(limited, limited, json(200, { ok: true }));
    assert.equal((await client.send("GET", "/")).status, 200);
    assert.equal(asked(), 3);
    const { requests, waits } = meter.take("step", { records: 1, seconds: 1 });
    assert.deepEqual({ requests, waits }, { requests: 1, waits: 2 });
  });

  it("does not ask again before Retry-After has passed", async () => {
    const limited = json(429, { code: 42901 }, { "retry-after": "3600" });
    const { client, asked, stopping } = await makeSubject(limited, json(200, {}));
    const sending = client.send("GET", "/");
    setTimeout(() => stopping.abort(new Error("enough")), 100);
    await assert.rejects(sending);
    assert.equal(asked(), 1);
  });

  const broken: readonly (readonly [what: string, answer: Answer, says: RegExp])[] = [
    ["a 429 without Retry-After", json(429, {}), /429 but without a Retry-After/],
    [
      "a 429 with a date",
      json(429, {}, { "retry-after": "Fri, 31 Dec 2027 23:59:59 GMT" }),
      /without a Retry-After in seconds/,
    ],
    ["a limit that never lets it through", json(429, {}, { "retry-after": "0" }), /429 100 times/],
    ["a body that is not JSON", (_request, response) => response.end("<html>"), /not JSON/],
    ["a connection that ends", (_request, response) => response.destroy(), /got no answer/],
  ];
  for (const [what, answer, says] of broken) {
    it(`fails on ${what}`, async () => {
      const { client } = await makeSubject(answer);
      await assert.rejects(client.send("GET", "/v2/x"), (error) => {
        assert.ok(error instanceof OperatorError);
        assert.match(error.message, says);
        return true;
      });
    });
  }
});
