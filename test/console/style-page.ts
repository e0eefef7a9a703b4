// The visual system on one page, for those who change it: the tokens of console.css, and the components of all pages.
// Only `npm run screenshots` serves it.

import type { Answer } from "../../src/http/reply/reply.ts";
import { renderChip, renderTabs } from "../../src/console/html/chip.ts";
import { renderInput, renderReason } from "../../src/console/html/field.ts";
import { html, renderFacts, renderTable } from "../../src/console/html/html.ts";
import { showPage, type Person, type Route } from "../../src/console/page.ts";
import { routes } from "../../src/process/console-routes.ts";

const sizes = ["Small: notes, headings of columns", "Medium: text", "Large: headings", "Title"];
const colours = [
  ["good", "done, and as it should be"],
  ["wait", "waits for somebody"],
  ["busy", "in progress"],
  ["bad", "wrong or overdue"],
  ["open", "not begun"],
  ["over", "ended without effect"],
] as const;

async function showStyle(person: Person): Promise<Answer> {
  const body = html`<p>
      Everything is made of these parts. The stylesheet names sizes, spaces and colours once; a page
      has none of its own.
    </p>
    <section aria-labelledby="type">
      <h2 id="type">Text</h2>
      ${sizes.map((size, index) => html`<p class="size-${index}">${size}</p>`)}
      <p><small>Quiet text</small>, <a href="#type">a link</a>, <code>an id</code>, <kbd>K</kbd></p>
    </section>
    <section aria-labelledby="states">
      <h2 id="states">States: a colour, an icon and a word</h2>
      ${renderTable(
        [
          ["Chip", ([meaning]) => renderChip(meaning, meaning)],
          ["Meaning", ([, meaning]) => meaning],
        ],
        colours,
        { style: "plain" },
      )}
    </section>
    <section aria-labelledby="forms">
      <h2 id="forms">Actions and fields</h2>
      <p>
        <button type="button" class="main">The one main action</button>
        <button type="button">Another action</button>
        <a class="button" href="#forms">A link as an action</a>
      </p>
      <form class="acts" method="get" action="/console/style">
        ${renderReason()} ${renderInput("On", "on", { type: "date" })}
      </form>
      <p role="alert">A message about what was refused.</p>
    </section>
    <section class="danger" aria-labelledby="danger">
      <h2 id="danger">What can't be undone</h2>
      <p>It stands apart, below everything else.</p>
      <button type="button">Erase</button>
    </section>
    <section aria-labelledby="lists">
      <h2 id="lists">Lists</h2>
      ${renderTabs("Examples", [
        { href: "#lists", label: "Pending", count: "4", isCurrent: true },
        { href: "#lists", label: "Completed", isCurrent: false },
      ])}
      ${renderFacts([["A name", "and its value"]])}
      <p class="empty">Nothing is here yet, and what to do about it.</p>
    </section>`;
  return showPage(person, { title: "Style", screen: "/console/account", body });
}

/** From now on the consoles of this process have the page. */
export function addStylePage(): string {
  const path = "/console/style";
  (routes as Route[]).push({ method: "GET", path, right: "own", handle: showStyle });
  return path;
}
