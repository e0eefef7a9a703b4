// The rules across fields that a state breaks although each of its changes was valid (decision 0027). Validates no
// fields.

import type { Payload, RecordType } from "../record-type.ts";

/** Returns the summary of each rule that the state breaks, as a sentence. */
export function brokenRules({ rules }: RecordType, state: Payload): readonly string[] {
  return rules.filter((rule) => rule.check(state).length > 0).map(({ summary }) => summary);
}
