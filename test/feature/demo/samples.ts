// What shared tests have to know about the demonstration.

import type { Samples } from "../sample.ts";

const reason = "has a store of its own";

export const samples: Samples = {
  commands: { demo: { opensNoStore: true, forAnybody: reason, incomparable: reason } },
};
