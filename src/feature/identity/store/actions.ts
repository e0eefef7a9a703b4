// Actions of entries of the audit trail.

import { nameRows } from "../../../basics/name-rows.ts";

export const actions = nameRows({
  "identity.create": { summary: "A rule for identities of programs was created." },
  "identity.revoke": { summary: "A rule for identities was revoked." },
});
