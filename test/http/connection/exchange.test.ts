// How much of a chunked body is passed on in one turn.

import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { it } from "node:test";
import { askForBody } from "../../../src/http/body/expectation.ts";
import { Exchange } from "../../../src/http/connection/exchange.ts";

it("a chunked body has short turns while its chunks are small, or not known", async () => {
  const request = new IncomingMessage(new Socket());
  request.headers["transfer-encoding"] = "chunked";
  const exchange = new Exchange(request, new ServerResponse(request), () => undefined);
  askForBody(request);
  const turn = (): number => {
    exchange.takeTurn((given) => given());
    return exchange.takeChunks(10_000, (most) => most);
  };
  const first = turn();
  request.push(Buffer.alloc(first / 8));
  await new Promise(setImmediate);
  assert.equal(turn(), first);
  request.push(Buffer.alloc(2 * first));
  await new Promise(setImmediate);
  assert.ok(turn() > first);
});
