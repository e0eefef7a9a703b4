// Sends concurrent calls that each write one record as one list. Each call gets the answer that a separate request
// would get (`verdicts=single`).
//
//   nothing in flight     a call is sent at once, with those of the same tick
//   a request in flight   calls wait until one is answered, at most 2 ms
//   two in flight         calls wait until one is answered
//
// Calls for one record take effect in their order: while one of them is in flight, the others wait. A call that is
// cancelled before it is sent is never sent.

import { describe, randomName } from "./connection.ts";
import { SluiceError, SluiceNetworkError } from "./errors.ts";
import type { Reply } from "./exchange.ts";
import { errorCodes } from "./generated/codes.ts";
import type { WriteItemResult, WriteResult } from "./generated/replies.ts";
import type { Session } from "./session.ts";
import { causedByRecord } from "./upload.ts";
import { until } from "./wait.ts";

export interface WriteCall {
  readonly method: "POST" | "PUT";
  /** The id of the record. */
  readonly id: unknown;
  /** The record as JSON. */
  readonly text: string;
  readonly signal: AbortSignal | undefined;
}

interface Waiting extends WriteCall {
  /** The list of the call was refused as a whole; the call is then sent alone. */
  readonly idempotencyKey?: string;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (reason: unknown) => void;
}

/** Codes that refuse a whole list only if the preference was not applied. Then nothing of it was written. */
const strictRefusals: ReadonlySet<number> = new Set([
  errorCodes.no_such_record,
  errorCodes.identical_record_exists,
  errorCodes.record_exists,
  errorCodes.deletion_open,
]);

const callsMax = 1_000;
/** The maximum number of characters in a list, because many proxies limit bodies to a megabyte. */
const charactersMax = 1_000_000;
const requestsMax = 2;
const waitMs = 2;

/** The calls on the records of one type. */
export class ConcurrentCalls {
  readonly #session: Session;
  readonly #paths: { readonly path: string; readonly listPath: string };
  #waiting: Waiting[] = [];
  /** The ids of the records whose calls are in flight. */
  readonly #busy = new Set<unknown>();
  #inFlight = 0;
  #isSending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Something between the client and the service removes the preference, or the service is too old for it. */
  #isUnsupported = false;

  constructor(session: Session, paths: { readonly path: string; readonly listPath: string }) {
    this.#session = session;
    this.#paths = paths;
  }

  async call(call: WriteCall): Promise<WriteResult> {
    if (this.#isUnsupported) return this.#callAlone(call);
    call.signal?.throwIfAborted();
    const answer = new Promise<WriteResult>((resolve, reject) => {
      this.#waiting.push({ ...call, resolve, reject });
    });
    if (this.#inFlight === 0) this.#sendSoon();
    else this.#timer ??= setTimeout(() => this.#send(), waitMs);
    return until(answer, call.signal);
  }

  /** At the end of the tick. */
  #sendSoon(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    queueMicrotask(() => this.#send());
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isSending = false;
    while (this.#inFlight < requestsMax) {
      const calls = this.#take();
      if (calls.length === 0) return;
      void this.#perform(calls);
    }
  }

  /** The calls of the next request: the first that may be sent, and those that may share a list with it. */
  #take(): readonly Waiting[] {
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    const held = new Set<unknown>();
    let characters = 0;
    let next = 0;
    for (const call of this.#waiting) {
      if (taken.length > 0 && isFull(taken, characters + call.text.length)) break;
      next += 1;
      if (call.signal?.aborted === true) continue;
      const isFree = !this.#busy.has(call.id) && !held.has(call.id);
      if (isFree && this.#mayJoin(taken, call)) {
        taken.push(call);
        characters += call.text.length;
      } else {
        held.add(call.id);
        left.push(call);
      }
    }
    this.#waiting = left.concat(this.#waiting.slice(next));
    return taken;
  }

  #mayJoin([first]: readonly Waiting[], call: Waiting): boolean {
    if (first === undefined) return true;
    const isAlone = (first.idempotencyKey ?? call.idempotencyKey) !== undefined;
    return !isAlone && !this.#isUnsupported && first.method === call.method;
  }

  async #perform(calls: readonly Waiting[]): Promise<void> {
    this.#inFlight += 1;
    for (const { id } of calls) this.#busy.add(id);
    const [first] = calls;
    const ended = new AbortController();
    if (calls.length > 1) await this.#callTogether(calls, ended.signal);
    else if (first !== undefined) await this.#callAlone(first).then(first.resolve, first.reject);
    ended.abort();
    for (const { id } of calls) this.#busy.delete(id);
    this.#inFlight -= 1;
    if (this.#waiting.length > 0) this.#sendSoon();
  }

  #callAlone(call: WriteCall & Pick<Waiting, "idempotencyKey">): Promise<WriteResult> {
    const { method, text: body, signal, idempotencyKey } = call;
    return this.#session.call({ method, path: this.#paths.path, body, signal, idempotencyKey });
  }

  /** Never rejects. The item at index 3 of a list with the key K has the key K.3. */
  async #callTogether(calls: readonly Waiting[], ended: AbortSignal): Promise<void> {
    const key = randomName();
    const keyed = calls.map((call, at) => ({ ...call, idempotencyKey: `${key}.${at}` }));
    const [method, path] = [calls[0]?.method ?? "POST", this.#paths.listPath];
    const body = `[${calls.map(({ text }) => text).join(",")}]`;
    const signal = whenAllAbort(calls, ended);
    let requestId: string | undefined;
    const onReply = (reply: Reply): void => void ({ requestId } = reply);
    const ask = { method, path, body, signal, onReply, idempotencyKey: key } as const;
    try {
      const list = await this.#session.call<WriteResult>({ ...ask, asSingle: true });
      for (const [at, call] of keyed.entries()) this.#settle(call, { list, at, requestId });
    } catch (error) {
      const code = error instanceof SluiceError ? error.code : 0;
      if (strictRefusals.has(code)) this.#isUnsupported = true;
      if (causedByRecord.has(code) || strictRefusals.has(code)) {
        this.#waiting.unshift(...keyed);
      } else for (const call of keyed) call.reject(withKey(error, call.idempotencyKey));
    }
  }

  #settle({ idempotencyKey, resolve, reject }: Waiting, { list, at, requestId }: Answer): void {
    const { results = [], organization_id } = list;
    const { code, message, errors = [] }: Partial<WriteItemResult> = results[at] ?? {};
    if (message === undefined) {
      this.#isUnsupported = true;
      const what = "The reply has no verdict on this record: the Prefer header was not applied";
      reject(new SluiceNetworkError(`${what}.`, { attempts: 1, idempotencyKey }));
    } else if (code === undefined) {
      resolve({ success: true, write_count: 1, message, organization_id });
    } else {
      const status = Math.floor(code / 100);
      const detail = { status, code, errors, requestId, idempotencyKey };
      reject(new SluiceError(describe(message, errors), detail));
    }
  }
}

interface Answer {
  readonly list: WriteResult;
  readonly at: number;
  readonly requestId: string | undefined;
}

function isFull(taken: readonly Waiting[], characters: number): boolean {
  return taken.length === callsMax || characters > charactersMax;
}

/** Aborts when every call was cancelled, so that nobody waits for the list. */
function whenAllAbort(calls: readonly Waiting[], ended: AbortSignal): AbortSignal {
  const all = new AbortController();
  let left = calls.length;
  const leave = (): void => {
    left -= 1;
    if (left === 0) all.abort();
  };
  for (const { signal } of calls) {
    // Several calls may have the same signal, which would add the same function only once.
    signal?.addEventListener("abort", () => leave(), { once: true, signal: ended });
  }
  return all.signal;
}

/** The error of a list, as an error of one of its calls. */
function withKey(error: unknown, idempotencyKey: string | undefined): unknown {
  if (!(error instanceof SluiceError)) return error;
  if (error instanceof SluiceNetworkError) {
    const { attempts, cause } = error;
    return new SluiceNetworkError(error.message, { attempts, cause, idempotencyKey });
  }
  const { status, code, errors, requestId, retryAfterMs, cause } = error;
  const detail = { status, code, errors, requestId, retryAfterMs, cause };
  return new SluiceError(error.message, { ...detail, idempotencyKey });
}
