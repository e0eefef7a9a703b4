// What a case of the fuzzer is: what is sent, and what is known of it beforehand.

import type { Operation, RecordType } from "../../src/domain/record-type.ts";
import type { Customer } from "../support/customer.ts";
import type { Ask } from "../support/http-client.ts";

/** A request that writes records, as far as what it holds is known. */
export interface WriteIntent {
  readonly type: RecordType;
  readonly organizationId: string;
  readonly operation: Operation;
  /** What the operation takes a body of this kind for. */
  readonly form: "json" | "stream";
  /** The body before it was encoded; undefined if it is no text. */
  readonly text: string | undefined;
  /** Nothing was corrupted, so it has to be accepted. */
  readonly valid: boolean;
}

export interface FuzzCase {
  readonly what: string;
  readonly ask: Ask;
  /** Instead of the ask: bytes for a socket of their own. */
  readonly raw?: Buffer;
  readonly write?: WriteIntent;
  /** Sent first: adds what this one updates. */
  readonly before?: FuzzCase;
  /** False for one with a credential that lets nobody in. */
  readonly authorized: boolean;
}

export interface Scene {
  readonly customers: readonly Customer[];
  /** Whose records are not compared: nobody knows what is left of its corrupted messages. */
  readonly unwatched: Customer;
  /** A token that may only read persons. */
  readonly readerToken: string;
}
