// Who may be the second person: an active operator, but not an officer who is unconfirmed. The action checks the rights
// of the person.

import { get, type Statements } from "../statement/statements.ts";

/** The lock prevents others from disabling this person before the end of the transaction. */
const lock = `
  SELECT 1 FROM operator WHERE name = $1 AND disabled_at IS NULL AND unconfirmed_since IS NULL
  --postgres FOR SHARE
  `;

export function* lockApprover(name: string): Statements<boolean> {
  return (yield* get(lock, name)) !== undefined;
}
