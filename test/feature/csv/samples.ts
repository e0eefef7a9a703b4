// What shared tests have to know about text files of rows.

import type { Samples } from "../sample.ts";

export const samples: Samples = { resources: ["Cells"] };
