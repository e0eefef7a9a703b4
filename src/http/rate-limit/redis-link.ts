// One connection to Redis or Valkey. It takes tokens from buckets, and never reconnects by itself. Loaded only if
// RATE_LIMIT_REDIS_URL is set, and the only file that uses the client library.

import { createClient } from "@redis/client";
import {
  bucketArguments,
  bucketScript,
  bucketScriptSha1,
  readBucketReply,
} from "./bucket-script.ts";
import { withTimeout } from "../../basics/with-timeout.ts";
import type { BucketCost, BucketPolicy, Taken } from "./token-bucket.ts";

/** How long a connection to Redis may take to open. */
const redisConnectMs = 1_000;

export interface RedisLink {
  /** Sends one request. Rejects on an error reply or a lost connection; the caller bounds the wait. */
  ask(key: string, policy: BucketPolicy, cost: BucketCost): Promise<Taken>;
  /** Rejects requests that are in flight. */
  close(): void;
}

export interface RedisLinkOptions {
  readonly url: string;
  /** Called when the connection is lost, also when no request is in flight. */
  readonly onLost: (error: unknown) => void;
}

/** Rejects if there is no server, it rejects the credentials, or it takes too long. */
export async function openRedisLink({ url, onLost }: RedisLinkOptions): Promise<RedisLink> {
  const client = createClient({
    url,
    // RESP 2 is sufficient, and every server and proxy supports it without a handshake.
    RESP: 2,
    disableClientInfo: true,
    disableOfflineQueue: true,
    // The caller bounds each wait; the library's own timeout would add a timer to each request.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: redisConnectMs, reconnectStrategy: false },
  });
  client.on("error", onLost);
  // Needed after a lost connection too: only this releases what the library stores for each client.
  const close = (): void => client.destroy();
  try {
    // A server may accept the connection and never reply.
    await withTimeout(client.connect(), redisConnectMs * 2);
  } catch (error) {
    close();
    throw error;
  }
  return {
    ask: async (key, policy, cost) => {
      const rest = ["1", ...bucketArguments(key, policy, cost)];
      const reply = await client
        .sendCommand(["EVALSHA", bucketScriptSha1, ...rest])
        .catch((error: unknown) => {
          if (redisErrorCode(error) !== "NOSCRIPT") throw error;
          return client.sendCommand(["EVAL", bucketScript, ...rest]);
        });
      return readBucketReply(reply, policy);
    },
    close,
  };
}

/**
 * The kind of an error as one word: the code of the system, or the first word of an error reply, which is the error
 * code in this protocol. Never the message, which may repeat what was sent.
 */
export function redisErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  return /^[A-Z]{3,20}\b/.exec(error.message)?.[0] ?? error.constructor.name;
}
