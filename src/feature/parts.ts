// What features have in the store, a line each.

import { StoreParts } from "../store/sql/store-parts.ts";
import { persons } from "./find/store/part.ts";
import { identityRules } from "./identity/store/part.ts";
import { importRuns } from "./import/store/part.ts";
import { moves } from "./move/store/part.ts";
import { recipients } from "./recipient/store/part.ts";
import { webhooks } from "./webhook/store/part.ts";

export const storeParts = new StoreParts([
  identityRules,
  moves,
  persons,
  recipients,
  webhooks,
  importRuns,
]);
