// All pages and forms of the console, those of the core and those of features, and what features show on pages of the
// core.

import type { Panels, Route } from "../console/page.ts";
import * as own from "../console/routes.ts";
import { features } from "../feature/features.ts";

const parts = (await Promise.all(features.map((feature) => feature.console?.()))).filter(
  (part) => part !== undefined,
);

export const routes: readonly Route[] = [
  ...own.routes,
  ...parts.flatMap((part) => part.routes ?? []),
];

export const panels: readonly Panels[] = parts.flatMap((part) => part.panels ?? []);
