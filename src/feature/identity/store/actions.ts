// Actions of entries of the audit trail.

import { nameRows } from "../../../basics/name-rows.ts";

export const actions = nameRows({
  "identity.create": { summary: "created a rule for identities of programs" },
  "identity.revoke": { summary: "revoked a rule for identities" },
});
