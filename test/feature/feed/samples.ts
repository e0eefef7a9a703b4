// What shared tests have to know about the feed of changes.

import type { Samples } from "../sample.ts";

export const samples: Samples = { noticesGuide: "changes.md" };
