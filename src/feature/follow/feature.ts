// What features that follow an organization share; see README.md.

import type { Feature } from "../feature.ts";

export const follow: Feature = { name: "follow" };
