// What shared tests have to know about exports.

import type { Samples } from "../sample.ts";

export const samples: Samples = {
  commands: { "export verify": { forAnybody: "needs nothing but what the service publishes" } },
};
