// Lets a page show what somebody else has done without being reloaded by hand: an event stream ends when the state is
// another one than the page shows, and then the script loads the page again.

import { readState } from "../../actions/deletion/show-deletion.ts";
import { readProposalStatus } from "../../actions/proposal/proposals.ts";
import type { Person } from "../page.ts";

/** How often the store is asked. */
const pollMs = 1_000;

export function followDeletion(person: Person): Promise<undefined> {
  return follow(person, () => readState(person.app, person.id));
}

export function followProposal(person: Person): Promise<undefined> {
  return follow(person, () => readProposalStatus(person.app, person.id));
}

async function follow(person: Person, read: () => Promise<string>): Promise<undefined> {
  const { query, sources } = person;
  let state = await read();
  sources.streams.open(person, {
    read: () => (state === query.get("state") ? {} : undefined),
    watch: (onChange) => {
      const poll = async (): Promise<void> => {
        const before = state;
        state = await read();
        if (state !== before) onChange();
      };
      // A store that can't be asked now is asked again.
      const timer = setInterval(() => void poll().catch(() => undefined), pollMs);
      return () => clearInterval(timer);
    },
  });
}
