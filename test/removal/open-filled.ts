// Opens stores that were filled with a feature, in a copy of the checkout that does not have it: `check` finds nothing,
// and nothing that is not part of the store.

import { openTestStore } from "../support/test-store.ts";

for (const url of process.argv.slice(2)) {
  const store = await openTestStore(url, { role: "serve" });
  await store.requireConsistent();
  await store.close();
}
