// Logs from which addresses authentications fail, at a bounded rate. Never logs what was sent.

import type { Logger } from "../../log.ts";
import { addressOwner } from "./address-owner.ts";
import { type BucketPolicy, TokenBuckets } from "./token-bucket.ts";

/** Lines for one address, and for all addresses. */
const ownPolicy: BucketPolicy = { name: "log", perSecond: 1 / 60, burst: 1 };
const allPolicy: BucketPolicy = { name: "log", perSecond: 1, burst: 20 };
/** A proxy may pass on anything as an address. */
const addressCharactersMax = 64;

export class FailureLog {
  readonly #log: Logger;
  readonly #own: TokenBuckets;
  readonly #all: TokenBuckets;
  /** Failures without a line of their own since the last line. */
  #others = 0;

  constructor(log: Logger, now: () => number) {
    this.#log = log;
    this.#own = new TokenBuckets(now);
    this.#all = new TokenBuckets(now);
  }

  /** `where`: what somebody tried to reach. */
  note(address: string, where: "api" | "console" | "metrics"): void {
    const mayLog =
      this.#own.take(addressOwner(address), ownPolicy).allowed &&
      this.#all.take("", allPolicy).allowed;
    if (!mayLog) {
      this.#others += 1;
      return;
    }
    this.#log.warn(
      { address: address.slice(0, addressCharactersMax), where, others: this.#others },
      "an authentication failed",
    );
    this.#others = 0;
  }
}
