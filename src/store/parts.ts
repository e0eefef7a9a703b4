// The store parts of features, one line each.

import type { StorePart } from "./sql/part.ts";
import { subscriptions } from "./sql/subscription/part.ts";

export const storeParts: readonly StorePart[] = [subscriptions];
