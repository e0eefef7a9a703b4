// Lets the page of a deletion that is about to be processed show the result without being reloaded by hand: an event
// stream ends when the status is another one than the page shows, and then the script loads the page again.

import { type DeletionDetails, readStatus } from "../../actions/deletion/show-deletion.ts";
import { type Deletion, dueTime } from "../../domain/deletion/deletion.ts";
import { type Html, html } from "../html/html.ts";
import { deletionPath } from "../html/link.ts";
import type { Person } from "../page.ts";

/** How often a browser without JavaScript loads the page again. */
export const refreshSeconds = 5;
/** How often the store is asked. */
const pollMs = 1_000;
/** How soon a deletion has to be due. */
const soonMs = 60_000;

/** Whether the status can be expected to change while the page is open. */
export function isAboutToChange({ deletion, kind }: DeletionDetails, now: number): boolean {
  if (deletion.status === "processing" || kind === "turn") return true;
  return kind === "grace" && dueTime(deletion) <= now + soonMs;
}

export function renderFollowed({ deletionRequestId: id, status }: Deletion): Html {
  return html`<p class="note" data-progress="${deletionPath(id)}/progress?status=${status}">
    This page shows the result as soon as there is one.
  </p>`;
}

export async function followDeletion(person: Person): Promise<undefined> {
  const { app, id, query, sources } = person;
  let status = await readStatus(app, id);
  sources.streams.open(person, {
    read: () => (status === query.get("status") ? {} : undefined),
    watch: (onChange) => {
      const poll = async (): Promise<void> => {
        const before = status;
        status = await readStatus(app, id);
        if (status !== before) onChange();
      };
      // A store that can't be asked now is asked again.
      const timer = setInterval(() => void poll().catch(() => undefined), pollMs);
      return () => clearInterval(timer);
    },
  });
}
