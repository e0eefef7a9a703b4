// The store parts of features, one line each.

import type { StorePart } from "./sql/part.ts";
import { subscriptions } from "../feature/subscription/store/part.ts";

export const storeParts: readonly StorePart[] = [subscriptions];
