// All pages and forms of the console, those of the core and those of features, and what features show on pages of the
// core.

import { tasks as ownTasks, type Task } from "../console/frame/screens.ts";
import type { Panels, Route } from "../console/page.ts";
import * as own from "../console/routes.ts";
import { loadParts } from "./load-parts.ts";

const parts = await loadParts((feature) => feature.console);

export const routes: readonly Route[] = [
  ...own.routes,
  ...parts.flatMap((part) => part.routes ?? []),
];

/** The screens of features are the last ones of their tasks. */
export const tasks: readonly Task[] = ownTasks.map(({ label, screens }) => {
  const added = parts.flatMap((part) => part.screens ?? []).filter(({ task }) => task === label);
  return { ...(label !== undefined && { label }), screens: [...screens, ...added] };
});

export const panels: readonly Panels[] = parts.map((part) => part.panels ?? {});
