// Idempotency-Key: the first outcome of a request is kept with its effect and given again to the same request.
// What is kept holds neither the key nor the request, only SHA-256 of both and an outcome without content.

import { hash } from "node:crypto";
import { AppError } from "../domain/error.ts";
import type { IdempotencyMark } from "../domain/record-write.ts";

/** What makes two requests the same request. */
export interface RequestIdentity {
  readonly idempotencyKey: string;
  readonly operation: string;
  /** Headers that change what the request does, such as Prefer. */
  readonly manner: string;
  readonly body: Uint8Array | string;
}

export function markRequest(organizationId: string, request: RequestIdentity): IdempotencyMark {
  const bodyHash = hash("sha256", request.body, "hex");
  return {
    keyHash: hash("sha256", `${organizationId}\n${request.idempotencyKey}`, "buffer"),
    fingerprint: hash("sha256", `${request.operation}\n${request.manner}\n${bodyHash}`, "buffer"),
  };
}

/** The keys whose first request is under way in this process. */
export class InFlightKeys {
  readonly #keys = new Set<string>();

  /** Runs `perform` unless a request with the same mark is under way: then throws idempotency_in_flight. */
  run<Result>(mark: IdempotencyMark | undefined, perform: () => Promise<Result>): Promise<Result> {
    return mark === undefined ? perform() : this.#runOnce(mark, perform);
  }

  async #runOnce<Result>(mark: IdempotencyMark, perform: () => Promise<Result>): Promise<Result> {
    const name = Buffer.from(mark.keyHash).toString("base64");
    if (this.#keys.has(name)) throw new AppError("idempotency_in_flight", { retryAfterSeconds: 1 });
    this.#keys.add(name);
    try {
      return await perform();
    } finally {
      this.#keys.delete(name);
    }
  }
}
