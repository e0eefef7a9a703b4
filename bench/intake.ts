// A steady intake of single transactions over HTTP, one at a time per connection. Reports for a period how many were
// acknowledged, and the longest wait.

import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, openConnection } from "./connection.ts";
import { makeRequests } from "./requests.ts";

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Intake {
  /** Requests per second that were acknowledged in the period. */
  rateIn(span: Span): number;
  /** The longest wait of a request that was in flight at any time in the period, in milliseconds. */
  longestWaitIn(span: Span): number;
  /** Every request that was acknowledged. */
  spans(): readonly Span[];
  stop(): Promise<void>;
}

export interface IntakeOptions {
  readonly port: number;
  readonly token: string | undefined;
  readonly connections: number;
  /** Different each time, so that no id is used twice. */
  readonly round: number;
  /** Delay between two requests of a connection; 0 sends the next one immediately. */
  readonly pauseMs: number;
}

export async function startIntake(options: IntakeOptions): Promise<Intake> {
  const { port, token, round, pauseMs } = options;
  const next = makeRequests("add", { ids: "ordered", round, token });
  const ends: Span[] = [];
  const open: Connection[] = [];
  let failure: Error | undefined;
  let inProgress = 0;
  let stopping = false;

  async function start(): Promise<void> {
    let from = 0;
    const connection = await openConnection(port, {
      onReply: () => {
        inProgress -= 1;
        ends.push({ from, to: performance.now() });
        if (pauseMs === 0) send();
        else setTimeout(send, pauseMs);
      },
      onFailure: (why) => (failure = new Error(why)),
    });
    open.push(connection);
    function send(): void {
      if (stopping) return;
      from = performance.now();
      inProgress += 1;
      connection.send(next());
    }
    send();
  }

  await Promise.all(Array.from({ length: options.connections }, start));
  return {
    rateIn: ({ from, to }) => {
      if (failure !== undefined) throw failure;
      const acknowledged = ends.filter((one) => one.to >= from && one.to < to).length;
      return (acknowledged * 1_000) / (to - from);
    },
    longestWaitIn: ({ from, to }) =>
      ends
        .filter((one) => one.to >= from && one.from < to)
        .reduce((longest, one) => Math.max(longest, one.to - one.from), 0),
    spans: () => ends,
    stop: async () => {
      stopping = true;
      await waitUntil(() => inProgress === 0 || failure !== undefined);
      for (const connection of open) connection.close();
      if (failure !== undefined) throw failure;
    },
  };
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5);
}
