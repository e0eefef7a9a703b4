// A request that a test sends in parts while it reads the reply in parts (application/x-ndjson).

import { Agent, request } from "node:http";
import { type Ask, readReply, type Reply, urlOf } from "./http-client.ts";

export interface OpenStream {
  /** Resolves when the bytes have been handed over. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** Ends the request and returns the whole reply. */
  end(): Promise<Reply>;
  /** Aborts the connection. */
  destroy(): void;
}

export function openStream(address: string, ask: Ask): OpenStream {
  // Keeps its connection until the server closes it.
  const agent = new Agent({ keepAlive: true });
  const headers = { "content-type": "application/x-ndjson", ...ask.headers };
  const sending = request(urlOf(address, ask), {
    method: ask.method,
    agent,
    headers: {
      ...(headers as Record<string, string>),
      ...(ask.token === undefined ? {} : { authorization: `Bearer ${ask.token}` }),
    },
  });
  const reply = new Promise<Reply>((resolve, reject) => {
    sending.on("response", (response) => void readReply(response).then(resolve, reject));
    sending.on("error", reject);
  });
  // A client that aborts the connection does not wait for the reply.
  reply.catch(() => undefined);
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        sending.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    end: () => {
      sending.end();
      return reply;
    },
    destroy: () => {
      sending.destroy();
      agent.destroy();
    },
  };
}

/** The objects of a reply in application/x-ndjson. */
export function linesOf({ text }: Reply): readonly Record<string, unknown>[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
