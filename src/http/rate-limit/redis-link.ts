// One connection to Redis or Valkey, for as long as it lasts: it asks for tokens of buckets and never connects again by
// itself. Loaded only where RATE_LIMIT_REDIS_URL is set, and the one file that knows the client library.

import { createClient } from "@redis/client";
import {
  bucketArguments,
  type BucketCost,
  bucketScript,
  bucketScriptSha1,
  readBucketReply,
} from "./bucket-script.ts";
import { withTimeout } from "../with-timeout.ts";
import type { BucketPolicy, Taken } from "./token-bucket.ts";

/** For a connection to Redis to open. */
const redisConnectMs = 1_000;

export interface RedisLink {
  /** One round trip. Rejects when the server refuses or the connection is lost; the caller bounds the wait. */
  ask(key: string, policy: BucketPolicy, cost: BucketCost): Promise<Taken>;
  /** What is under way rejects. */
  close(): void;
}

export interface RedisLinkOptions {
  readonly url: string;
  /** Called when the connection is lost, also when nothing is under way. */
  readonly onLost: (error: unknown) => void;
}

/** Rejects when there is no server, it refuses the credentials, or takes too long. */
export async function openRedisLink({ url, onLost }: RedisLinkOptions): Promise<RedisLink> {
  const client = createClient({
    url,
    // The second protocol is enough, and every server and proxy speaks it without a greeting.
    RESP: 2,
    disableClientInfo: true,
    disableOfflineQueue: true,
    // The caller bounds each wait; the library's own bound would be a timer more for each request.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: redisConnectMs, reconnectStrategy: false },
  });
  client.on("error", onLost);
  // Also after a loss: what the library keeps of each client is released by this alone.
  const close = (): void => client.destroy();
  try {
    // A server may take the connection and then say nothing.
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
 * What kind of error it is, in one word and never in the words of the error, which may repeat what was sent: the system's
 * code, or the first word of an error reply, which is its code by the protocol.
 */
export function redisErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  return /^[A-Z]{3,20}\b/.exec(error.message)?.[0] ?? error.constructor.name;
}
