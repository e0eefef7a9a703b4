// What features have in the store, a line each.

import { StoreParts } from "../store/sql/store-parts.ts";
import { subscriptions } from "./subscription/store/part.ts";

export const storeParts = new StoreParts([subscriptions]);
