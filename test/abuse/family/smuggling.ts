// Requests whose end is ambiguous, each followed by an add that must never be executed.

import type { Abuse, AbuseContext } from "../abuse.ts";
import { AttackSocket } from "../attack-socket.ts";
import { makeClient } from "../../support/http-client.ts";
import { transaction } from "../records.ts";
import { requestBytes } from "../sending.ts";

/** Each is rejected, and its reply is the last of the connection. */
const shapes: Readonly<Record<string, string>> = {
  "two lengths": "content-length: 1\r\ncontent-length: 2\r\n\r\nab",
  "two lengths in one header": "content-length: 1, 2\r\n\r\nab",
  "a length and chunks": "content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  "chunks and a length": "transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n",
  "chunks twice": "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  "a coding before chunks": "transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  "an unknown coding": "transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
  "a blank before the colon": "transfer-encoding : chunked\r\n\r\n0\r\n\r\n",
  "a tab before the value": "transfer-encoding:\u000bchunked\r\n\r\n0\r\n\r\n",
  "a length with a sign": "content-length: +2\r\n\r\nab",
  "a length in hexadecimal": "content-length: 0x2\r\n\r\nab",
  "a length that wraps around": "content-length: 18446744073709551618\r\n\r\nab",
  "a negative length": "content-length: -1\r\n\r\n",
  "an invalid chunk size": "transfer-encoding: chunked\r\n\r\n2;\u0000\r\nab\r\nzz\r\n\r\n",
  "a chunk size that wraps around":
    "transfer-encoding: chunked\r\n\r\n10000000000000002\r\nab\r\n0\r\n\r\n",
  "a chunk longer than its size": "transfer-encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
  "a folded header": "x: a\r\n transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\nab",
  "two hosts": "host: y\r\ncontent-length: 2\r\n\r\nab",
  "two credentials": "authorization: Bearer x\r\ncontent-length: 2\r\n\r\nab",
  "a bare line feed": "x: a\ncontent-length: 2\r\n\r\nab",
  "a bare carriage return": "x: a\rcontent-length: 2\r\n\r\nab",
  "a zero byte": "x: a\u0000\r\ncontent-length: 2\r\n\r\nab",
};

function messageOf({ target }: AbuseContext, shape: string, id: string): Buffer {
  const head = `POST /v2/transaction HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${target.token}\r\ncontent-type: application/json\r\n`;
  const { token } = target;
  const following = requestBytes("POST", "/v2/transaction", { token, body: transaction(id) });
  return Buffer.concat([Buffer.from(head + shape, "latin1"), following]);
}

const behindRejected: Abuse = {
  name: "smuggling",
  what: `${Object.keys(shapes).length} shapes of ambiguous requests, each followed by an add`,
  prepare: (context) => {
    const ids = new Map<string, string>();
    const { target, tally } = context;
    async function once(what: string, shape: string): Promise<void> {
      const id = `smuggled-${ids.size}`;
      ids.set(id, what);
      const socket = new AttackSocket(context);
      tally.sent += 1;
      if (await socket.opened) socket.write(messageOf(context, shape, id));
      const timer = setTimeout(() => socket.close(), 1_000);
      await socket.closed;
      clearTimeout(timer);
    }
    return {
      run: async () => {
        const roundsMax = context.amount(Infinity, 1);
        for (let round = 0; round < roundsMax && context.mayGoOn(); round += 1) {
          await Promise.all(Object.entries(shapes).map(([what, shape]) => once(what, shape)));
        }
      },
      check: async () => {
        const client = makeClient(target.address);
        const executed: string[] = [];
        for (const [id, what] of ids) {
          const { status } = await client.send({
            method: "GET",
            path: "/v2/transaction",
            token: target.token,
            query: { tx_id: id },
          });
          if (status === 200) executed.push(`the request after "${what}" was executed`);
          if (status === 429) await new Promise((resolve) => setTimeout(resolve, 200));
        }
        client.close();
        return [...new Set(executed)];
      },
    };
  },
};

export const smuggling: readonly Abuse[] = [behindRejected];
