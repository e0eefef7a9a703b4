// The settings of features, which are read together with those of the core.

import { features } from "../feature/features.ts";
import { settings } from "../settings/config.ts";
import type { Setting } from "../settings/setting.ts";

export const addedSettings: readonly Setting<unknown>[] = features.flatMap(
  (feature) => feature.settings ?? [],
);

export const allSettings: readonly Setting<unknown>[] = [
  ...Object.values(settings),
  ...addedSettings,
];
