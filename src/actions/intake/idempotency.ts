// Idempotency-Key: the outcome of a request is stored with its effect and returned to repetitions of the request. What
// is stored contains neither the key nor the request, only the SHA-256 of both and an outcome without content.

import { hash } from "node:crypto";
import { isConfidential, type Reader } from "../../domain/confidentiality.ts";
import { AppError } from "../../domain/error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { IdempotencyMark } from "../../domain/record/record-write.ts";

/** Two requests are the same if all of these are equal. */
export interface RequestIdentity {
  readonly idempotencyKey: string;
  readonly operation: string;
  /** Headers that change what the request does, such as Prefer. */
  readonly writeOptions: string;
  readonly body: Uint8Array | string;
}

/** A request with a key, but without its body, which may not be read yet. */
export interface KeyedRequest extends Omit<RequestIdentity, "body"> {
  readonly keySpace: string;
}

/** An organization, or a confidential type of it: nobody learns from a used key that such a write happened. */
export function keySpaceOf(
  caller: Pick<Reader, "confidential"> & { readonly organizationId: string },
  type: RecordType,
): string {
  const { organizationId } = caller;
  // This is unambiguous, because the id of an organization contains no slash.
  return isConfidential(type, caller) ? `${organizationId}/${type.resourceType}` : organizationId;
}

export function markRequest(keySpace: string, request: RequestIdentity): IdempotencyMark {
  return {
    keyHash: keyHashOf(keySpace, request.idempotencyKey),
    fingerprint: fingerprintOf(contextOf(request), hash("sha256", request.body, "hex")),
  };
}

/** Keys of the items of a list, which differ in a number at the end, have neighbouring hashes and share pages. */
export function keyHashOf(keySpace: string, idempotencyKey: string): Uint8Array {
  const [, name = "", number] = /^(.*)\.(0|[1-9]\d{0,4})$/.exec(idempotencyKey) ?? [];
  if (number === undefined) return hash("sha256", `${keySpace}\n${idempotencyKey}`, "buffer");
  const keyHash = hash("sha256", `${keySpace}\n${name}\n`, "buffer");
  keyHash.writeUInt32BE(Number(number), keyHash.length - 4);
  return keyHash;
}

/** What a fingerprint covers besides the body. */
export function contextOf({ operation, writeOptions }: Omit<RequestIdentity, "body">): string {
  return `${operation}\n${writeOptions}`;
}

/** `bodyHash`: SHA-256 in hexadecimal. */
export function fingerprintOf(context: string, bodyHash: string): Uint8Array {
  return hash("sha256", `${context}\n${bodyHash}`, "buffer");
}

/** The keys of requests in progress. The tables of one Set that fills and empties would become old objects. */
export class InFlightKeys {
  /** Lists by the first byte of the hash. */
  readonly #keys = Array.from({ length: 256 }, (): string[] => []);

  /**
   * This is not `async`, so that nothing references the request while it is performed. Rejects with AppError
   * idempotency_in_flight if a request with the same key is in progress.
   */
  run<Result>(keyHash: Uint8Array | undefined, perform: () => Promise<Result>): Promise<Result> {
    if (keyHash === undefined) return perform();
    const name = Buffer.from(keyHash).toString("base64");
    const keys = this.#keys[keyHash[0] ?? 0] ?? [];
    if (keys.includes(name)) {
      return Promise.reject(new AppError("idempotency_in_flight", { retryAfterSeconds: 1 }));
    }
    keys.push(name);
    return Promise.try(perform).finally(() => keys.splice(keys.indexOf(name), 1));
  }
}
