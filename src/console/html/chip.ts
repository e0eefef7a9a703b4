// States as chips: a colour and an icon by meaning (console.css), and always the word.

import type { DeletionStatus } from "../../domain/deletion/deletion.ts";
import { type Html, html, renderElement } from "./html.ts";

/** What a state means for the reader: done, waits for somebody, in progress, wrong, not begun, or over. */
export type Meaning = "good" | "wait" | "busy" | "bad" | "open" | "over";

export function renderChip(meaning: Meaning, word: string): Html {
  return html`<span class="chip ${meaning}">${word}</span>`;
}

const statuses: Readonly<Record<DeletionStatus, Meaning>> = {
  pending: "open",
  processing: "busy",
  completed: "good",
  cancelled: "over",
};

export function renderStatus(status: DeletionStatus): Html {
  return renderChip(statuses[status], status);
}

export interface Tab {
  readonly href: string;
  readonly label: string;
  readonly count?: string | undefined;
  readonly isCurrent: boolean;
}

export function renderTabs(label: string, tabs: readonly Tab[]): Html {
  const links = tabs.map(({ href, label: name, count, isCurrent }) => {
    const text = count === undefined ? name : html`${name} <small>${count}</small>`;
    return html`<li>
      ${renderElement("a", { href, "aria-current": isCurrent && "true" }, text)}
    </li>`;
  });
  return html`<nav class="tabs" aria-label="${label}">
    <ul>
      ${links}
    </ul>
  </nav>`;
}
