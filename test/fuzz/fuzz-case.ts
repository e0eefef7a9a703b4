// A case of the fuzzer: what is sent, and what is known about it in advance.

import type { Operation, RecordType } from "../../src/domain/record-type.ts";
import type { Customer } from "../support/customer.ts";
import type { Ask } from "../support/http-client.ts";

/** A request that writes records, as far as its content is known. */
export interface WriteIntent {
  readonly type: RecordType;
  readonly organizationId: string;
  readonly operation: Operation;
  /** How the operation interprets a body of this kind. */
  readonly form: "json" | "stream";
  /** The body before it was encoded; undefined if it is not text. */
  readonly text: string | undefined;
  /** Nothing was corrupted, so it has to be accepted. */
  readonly valid: boolean;
}

export interface FuzzCase {
  readonly what: string;
  readonly ask: Ask;
  /** Instead of the request: bytes for a separate socket. */
  readonly raw?: Buffer;
  readonly write?: WriteIntent;
  /** Sent first: adds what this one updates. */
  readonly before?: FuzzCase;
  /** False for one with an invalid credential. */
  readonly authorized: boolean;
}

export interface Scene {
  readonly customers: readonly Customer[];
  /** Records that are not compared: the effect of its corrupted messages is unknown. */
  readonly unwatched: Customer;
  /** A token with permission to read persons only. */
  readonly readerToken: string;
  /** With which another process opens the store. */
  readonly environment: Readonly<Record<string, string>>;
}
