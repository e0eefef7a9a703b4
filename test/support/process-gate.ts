// Rate limits that one process counts by itself.

import {
  countInProcess,
  type Limited,
  makeRateGate,
  type RateGate,
} from "../../src/http/rate-limit/rate-limit.ts";

export function makeProcessGate(perSecond: number, now: () => number): RateGate<Limited> {
  const count = countInProcess(now);
  return makeRateGate({ perSecond, count, countHere: count });
}
