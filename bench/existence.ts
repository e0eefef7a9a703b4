// Existence checks of transactions that `fill` has stored, at random, over connections with one request in flight each.
// Any reply except 200 ends the benchmark.

import { openConnection } from "./connection.ts";
import type { ServerProcess } from "./child.ts";
import { idOf, isOfTransactions, listItems } from "./fill.ts";

export interface CheckOrder {
  readonly server: ServerProcess;
  readonly token: string;
  /** How many records the store was filled with. */
  readonly records: number;
  readonly connections: number;
  readonly seconds: number;
}

export interface CheckRound {
  readonly perSecond: number;
  /** The processor time of the server for a check. */
  readonly cpuUs: number;
}

export async function runChecks(order: CheckOrder): Promise<CheckRound> {
  const { server, connections, seconds } = order;
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const before = server.cpuSeconds();
  const from = performance.now();
  let answered = 0;
  let open = connections;
  for (let index = 0; index < connections; index += 1) {
    const connection = await openConnection(server.port, {
      onReply: (status) => {
        if (status !== 200) fail(new Error(`a check was answered with ${status}`));
        answered += 1;
        send();
      },
      onFailure: (why) => fail(new Error(why)),
    });
    const send = (): void => {
      if (performance.now() - from < seconds * 1_000) return connection.send(nextCheck(order));
      connection.close();
      open -= 1;
      if (open === 0) end();
    };
    send();
  }
  await ended;
  const took = (performance.now() - from) / 1_000;
  return {
    perSecond: answered / took,
    cpuUs: ((server.cpuSeconds() - before) * 1e6) / answered,
  };
}

function nextCheck({ records, token }: CheckOrder): string {
  let number: number;
  do number = Math.floor(Math.random() * records);
  while (!isOfTransactions(Math.floor(number / listItems)));
  const path = `/v2/transaction?tx_id=${idOf(number, "ordered")}`;
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}
