// A Sluice server as the target of an import, through the client library: lenient lists, each with the Idempotency-Key of its
// chunk, so that an import that is continued writes nothing twice.

import { Connection } from "../../../client/src/connection.ts";
import { SluiceError, SluiceNetworkError } from "../../../client/src/errors.ts";
import type { WriteResult } from "../../../client/src/generated/replies.ts";
import { Session } from "../../../client/src/session.ts";
import { TokenKeeper } from "../../../client/src/token-keeper.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { ItemOutcome, Target, TargetList } from "./target.ts";

export interface HttpTargetOptions {
  /** The server, without the path of the API. */
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
  const { url, stopping } = options;
  const session = makeSession(options);
  return {
    name: url,
    send: async ({ type, update, keyOf, payloads }) => {
      const texts = payloads.map((payload) => JSON.stringify(payload));
      try {
        const reply = await session.call<WriteResult>({
          method: update ? "PUT" : "POST",
          path: `/v2/${type.batchPath ?? type.resourceType}`,
          body: `[${texts.join(",")}]`,
          lenient: true,
          idempotencyKey: keyOf(texts),
        });
        return resultsOf(reply, payloads, url);
      } catch (error) {
        stopping.throwIfAborted();
        throw error instanceof SluiceError ? explain(error, url) : error;
      }
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
  payloads: TargetList["payloads"],
  url: string,
): readonly ItemOutcome[] {
  if (results.length === payloads.length) return results as readonly ItemOutcome[];
  throw new OperatorError(
    "server",
    `${url} answered without a result for each record of the list.`,
  );
}

function explain(error: SluiceError, url: string): OperatorError {
  if (error instanceof SluiceNetworkError) {
    return new OperatorError("server", `${url} does not answer: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
  const { status, code, message, idempotencyKey } = error;
  const request = idempotencyKey === undefined ? "a token" : "the list";
  // If something other than Sluice answered, the code is the status.
  const answer = code === status ? `${status}.` : `${status} (${code}): ${message}`;
  return new OperatorError("server", `${url} answered ${request} with ${answer}`, { cause: error });
}

/** fetch says only "fetch failed"; the reason is in the cause. */
function reasonOf({ message, cause }: SluiceNetworkError): string {
  if (!(cause instanceof Error)) return message.replace(/\.$/, "");
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
