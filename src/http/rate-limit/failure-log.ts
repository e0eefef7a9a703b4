// Logs from which addresses authentications fail, at a bounded rate. Never logs what was sent.

import type { Logger } from "../../log.ts";
import { addressOwner } from "./address-owner.ts";
import { type BucketPolicy, TokenBuckets } from "./token-bucket.ts";

const ownPolicy: BucketPolicy = { name: "log", perSecond: 1 / 60, burst: 1 };
const allPolicy: BucketPolicy = { name: "log", perSecond: 1, burst: 20 };
/** A proxy may pass on anything as an address. */
const addressCharactersMax = 64;

type FailedWhere = "api" | "console" | "metrics";

export function makeFailureLog(
  log: Logger,
  now: () => number,
  onFailure: (where: FailedWhere) => void = () => undefined,
) {
  const [own, all] = [new TokenBuckets(now), new TokenBuckets(now)];
  let others = 0;
  return {
    note: (address: string, where: FailedWhere): void => {
      onFailure(where);
      const mayLog =
        own.take(addressOwner(address), ownPolicy).allowed && all.take("", allPolicy).allowed;
      if (mayLog) {
        const host = address.slice(0, addressCharactersMax);
        log.warn({ address: host, where, others }, "an authentication failed");
      }
      others = mayLog ? 0 : others + 1;
    },
  };
}

export type FailureLog = ReturnType<typeof makeFailureLog>;
