// What shared tests have to know about completion.

import type { Samples } from "../sample.ts";

export const samples: Samples = {
  commands: { completion: { opensNoStore: true, forAnybody: "opens no store" } },
};
