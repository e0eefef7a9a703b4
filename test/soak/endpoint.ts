// An endpoint of webhooks that is notified of deletions: a receiver, and whether it has learned of each, in order.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { waitFor } from "../support/wait-for.ts";

/** Deletions have no order, but if so many that were requested later are completed first, one is starved. */
const overtakenMax = 500;
const findingsMax = 20;

export interface Message {
  readonly type: string;
  readonly deletionRequestId: string;
}

export class Endpoint {
  readonly #messages: Message[] = [];
  readonly #ids = new Set<string>();
  readonly #completed = new Set<string>();
  readonly #server: Server = createServer((request, response) => {
    void text(request)
      .then((body) => this.#take(String(request.headers["webhook-id"]), body))
      .finally(() => response.writeHead(204).end());
  });

  get messages(): number {
    return this.#messages.length;
  }

  /** Returns its URL. */
  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** `requested`: ids of completed deletions, each list in the order of the requests. */
  async verify(...requested: readonly (readonly string[])[]): Promise<readonly string[]> {
    const isTold = () => requested.flat().every((id) => this.#completed.has(id));
    await waitFor("a message of each deletion", isTold, { timeoutMs: 600_000 });
    return requested.flatMap((ids) => findDisorder(this.#messages, ids)).slice(0, findingsMax);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** A message may arrive more than once. */
  #take(id: string, body: string): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    const { type, data } = JSON.parse(body) as {
      readonly type: string;
      readonly data: { readonly deletion_request_id: string };
    };
    const deletionRequestId = data.deletion_request_id;
    this.#messages.push({ type, deletionRequestId });
    if (type === "sluice.deletion.completed") this.#completed.add(deletionRequestId);
  }
}

/** `requested`: ids of deletions, in the order of the requests. */
export function findDisorder(
  messages: readonly Message[],
  requested: readonly string[],
): readonly string[] {
  const places = messages.map(
    ({ type, deletionRequestId }, place) => [`${type} ${deletionRequestId}`, place] as const,
  );
  const placeOf = new Map(places);
  const findings: string[] = [];
  let latest = -1;
  const completions: (readonly [place: number, index: number])[] = [];
  for (const [index, id] of requested.entries()) {
    const asked = placeOf.get(`sluice.deletion.requested ${id}`) ?? Infinity;
    const done = placeOf.get(`sluice.deletion.completed ${id}`) ?? -1;
    if (done < asked) findings.push(`${id} was not reported as requested and then as completed`);
    if (asked < latest) findings.push(`${id} was reported after one that was requested later`);
    latest = Math.max(latest, asked);
    completions.push([done, index]);
  }
  completions.sort(([one], [other]) => one - other);
  for (const [place, [, index]] of completions.entries()) {
    const overtaken = place - index;
    if (overtaken > overtakenMax)
      findings.push(`${requested[index]} waited for ${overtaken} that were requested later`);
  }
  return findings;
}
