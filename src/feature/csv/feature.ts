// Text files of rows; see README.md.

import type { Feature } from "../feature.ts";

export const csv: Feature = { name: "csv" };
