// Loads a part of each feature that has it.

import type { Feature } from "../feature/feature.ts";
import { features } from "../feature/features.ts";

export function loadParts<Part>(
  of: (feature: Feature) => (() => Promise<Part>) | undefined,
): Promise<readonly Part[]> {
  const loaders = features.map(of).filter((load) => load !== undefined);
  return Promise.all(loaders.map((load) => load()));
}
