// A server as the target of an import: lenient lists, each with an Idempotency-Key: nothing is written twice.

import { Connection } from "../../../client/src/connection.ts";
import { SluiceError, SluiceNetworkError } from "../../../client/src/errors.ts";
import type { WriteResult } from "../../../client/src/generated/replies.ts";
import { Session } from "../../../client/src/session.ts";
import { TokenKeeper } from "../../../client/src/token-keeper.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { ItemOutcome, KeyOf, Target } from "./chunk.ts";

export interface HttpTargetOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly organizationId: string;
  readonly type: RecordType;
  /** Ends the wait for a retry, but no request in flight. */
  readonly stopping: AbortSignal;
}

const timeoutMs = 120_000;
/** An import continues after a restart of the server, and waits as long as rate limits require. */
const retryLimits = {
  failingMsMax: 120_000,
  turnsMax: 1_000_000,
  retryAfterMsMax: 86_400_000,
};

export function httpTarget(options: HttpTargetOptions): Target {
  const { url, type, stopping } = options;
  const session = makeSession(options);
  const path = `/v2/${type.batchPath ?? type.resourceType}`;
  const sendList = async (method: "PUT" | "POST", texts: readonly string[], keyOf: KeyOf) => {
    const body = `[${texts.join(",")}]`;
    const idempotencyKey = keyOf(body);
    try {
      const request = { method, path, body, lenient: true, idempotencyKey };
      return resultsOf(await session.call<WriteResult>(request), texts.length, url);
    } catch (error) {
      stopping.throwIfAborted();
      throw error instanceof SluiceError ? explain(error, url) : error;
    }
  };
  return {
    name: url,
    begin: (update) => {
      const texts: string[] = [];
      return {
        add: (payload) => texts[texts.push(JSON.stringify(payload)) - 1]?.length ?? 0,
        send: (keyOf) => sendList(update ? "PUT" : "POST", texts, keyOf),
      };
    },
  };
}

function makeSession({ url, apiKey, organizationId, type, stopping }: HttpTargetOptions): Session {
  const connection = new Connection({
    baseUrl: url,
    retry: { ...retryLimits, stopping },
    timeoutMs,
    fetch,
  });
  const scopes = [`${type.family}:write`] as const;
  return new Session(
    connection,
    new TokenKeeper(connection, { baseUrl: url, apiKey, organizationId, scopes }),
  );
}

function resultsOf(
  { results = [] }: WriteResult,
  count: number,
  url: string,
): readonly ItemOutcome[] {
  if (results.length === count) return results;
  throw new OperatorError(
    "server",
    `${url} answered without a result for each record of the list.`,
  );
}

function explain(error: SluiceError, url: string): OperatorError {
  if (error instanceof SluiceNetworkError) {
    return new OperatorError("server", `${url} does not answer. ${error.message}`, {
      cause: error,
    });
  }
  const { status, code, message, idempotencyKey } = error;
  const request = idempotencyKey === undefined ? "a token" : "the list";
  // If something other than Sluice answered, the code is the status.
  const answer = code === status ? `${status}.` : `${status} (${code}): ${message}`;
  return new OperatorError("server", `${url} answered ${request} with ${answer}`, { cause: error });
}
