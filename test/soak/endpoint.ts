// An endpoint of webhooks that is notified of deletions: a receiver, and whether it has learned of each, in order.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Site } from "../abuse/site.ts";
import { waitFor } from "../support/wait-for.ts";

const events = ["sluice.deletion.requested", "sluice.deletion.completed"] as const;
const [requestedType, completedType] = events;
/** Deletions have no order, but if so many that were requested later are completed first, one is starved. */
const overtakenMax = 500;
const findingsMax = 20;

interface Event {
  readonly type: string;
  readonly data: { readonly deletion_request_id: string };
}

export class Endpoint {
  /** Type and deletion by the message's id, in the order of arrival. A message may arrive more than once. */
  readonly #messages = new Map<string, string>();
  readonly #server = createServer((request, response) => {
    void this.#take(request).finally(() => response.writeHead(204).end());
  }).listen(0, "127.0.0.1");

  get messages(): number {
    return this.#messages.size;
  }

  async register({ server: { client }, target: { token } }: Site): Promise<void> {
    await once(this.#server, "listening");
    const { port } = this.#server.address() as AddressInfo;
    const body = { url: `http://127.0.0.1:${port}/`, events };
    const ask = { method: "POST", path: "/v2/webhook_endpoint", token, body };
    const { status, text } = await client.send(ask);
    if (status !== 201) throw new Error(`${status} ${text}`);
  }

  /** `requested`: ids of completed deletions, each list in the order of the requests. */
  async verify(requested: readonly (readonly string[])[]): Promise<readonly string[]> {
    const isTold = () => {
      const told = new Set(this.#messages.values());
      return requested.flat().every((id) => told.has(`${completedType} ${id}`));
    };
    await waitFor("a message of each deletion", isTold, { timeoutMs: 600_000 });
    const messages = [...this.#messages.values()];
    return requested.flatMap((ids) => findDisorder(messages, ids)).slice(0, findingsMax);
  }

  async #take(request: IncomingMessage): Promise<void> {
    const { type, data } = (await json(request)) as Event;
    const id = String(request.headers["webhook-id"]);
    if (!this.#messages.has(id)) this.#messages.set(id, `${type} ${data.deletion_request_id}`);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** `messages`: type and deletion. `requested`: ids of deletions, in the order of the requests. */
export function findDisorder(
  messages: readonly string[],
  requested: readonly string[],
): readonly string[] {
  const placeOf = new Map(messages.map((message, place) => [message, place]));
  const placesOf = (type: string) => requested.map((id) => placeOf.get(`${type} ${id}`) ?? -1);
  const [asked, done] = [placesOf(requestedType), placesOf(completedType)];
  const rankOf = new Map(done.toSorted((one, other) => one - other).map((at, rank) => [at, rank]));
  return requested.flatMap((id, index) => {
    const [askedAt = -1, doneAt = -1] = [asked[index], done[index]];
    const overtaken = (rankOf.get(doneAt) ?? 0) - index;
    return [
      ...(askedAt < 0 || doneAt < askedAt
        ? [`${id} was not reported as requested and then as completed`]
        : []),
      ...(askedAt < (asked[index - 1] ?? -1)
        ? [`${id} was reported before one that was requested earlier`]
        : []),
      ...(overtaken > overtakenMax
        ? [`${id} waited for ${overtaken} that were requested later`]
        : []),
    ];
  });
}
