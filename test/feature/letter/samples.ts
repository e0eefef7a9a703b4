// What shared tests have to know about letters.

import type { Samples } from "../sample.ts";

const path = "/no/such/letters.json";

export const samples: Samples = {
  commands: { "letter texts": { opensNoStore: true, forAnybody: "opens no store" } },
  withoutRight: {
    "letter/copy writeCopy": "continues what an action with a right has begun",
    "letter/erasure mayWrite": "is asked about a deletion that is shown with a right",
  },
  settings: {
    wrong: [["LETTER_TEXTS", [path], /the path of a JSON file of texts \(there is no such file/]],
    right: [],
  },
  showPages: async ({ store }, organizationId) => {
    const deletions = await store.listDeletions({ organizationId, before: undefined, limit: 10 });
    return deletions.map(({ deletionRequestId: id }) => `/console/deletion/${id}/letter`);
  },
};
