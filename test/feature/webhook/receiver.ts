// A receiver of webhooks on loopback for tests: keeps what it was sent, and answers as the test says.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export interface ReceivedEvent {
  readonly id: string;
  readonly body: string;
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
}

export interface WebhookReceiver {
  readonly url: string;
  /** In the order of arrival. */
  readonly events: ReceivedEvent[];
  /** How many requests were in progress at once, at most. */
  readonly atOnce: number;
  /** Replaces the answer, which is 204 unless this was called. */
  answer(reply: (event: ReceivedEvent, response: ServerResponse) => void): void;
  close(): void;
}

/** `host`: an address of loopback. */
export async function startReceiver(host = "127.0.0.1"): Promise<WebhookReceiver> {
  const events: ReceivedEvent[] = [];
  let inProgress = 0;
  let atOnce = 0;
  let reply = (_event: ReceivedEvent, response: ServerResponse): void =>
    void response.writeHead(204).end();
  const server = createServer((request, response) => {
    inProgress += 1;
    atOnce = Math.max(atOnce, inProgress);
    response.on("close", () => (inProgress -= 1));
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      const { type, data } = JSON.parse(body) as Pick<ReceivedEvent, "type" | "data">;
      const headers = request.headers as Record<string, string>;
      const event = {
        id: headers["webhook-id"] ?? "",
        body,
        type,
        data,
        headers,
        path: request.url ?? "",
      };
      events.push(event);
      reply(event, response);
    });
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/hook`,
    events,
    get atOnce() {
      return atOnce;
    },
    answer: (other) => (reply = other),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Whether the reference implementation accepts the signature; it also checks the time, which tests set. */
export function isSigned(secret: string, { body, headers }: ReceivedEvent): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
