// Shows the content and the history of a record: the names of fields, and values only if they were revealed. Otherwise
// the page does not contain them.

import type {
  ShownChange,
  ShownField,
  ShownHistory,
  ShownState,
} from "../../actions/record/record-history.ts";
import { type Html, html, type Column, renderTable } from "./html.ts";
import { describeValue, inWords } from "./typed-value.ts";
import { formatNumber, renderTime, renderTimestamp } from "./time.ts";
import { sluice } from "../../basics/program-name.ts";

/** How many bytes all values of a page have at most, escaped, so that the page stays small. */
const valueBytesMax = 16_000;
const stateCharactersMax = 4_000;
const changeCharactersMax = 300;

class ValueSpace {
  #left = valueBytesMax;
  isExceeded = false;

  render(value: unknown, charactersMax: number): Html {
    if (value === undefined) return html`<small>no value</small>`;
    const text = describeValue(value);
    let shown = text.slice(0, charactersMax);
    while (bytesOf(shown) > this.#left) shown = shown.slice(0, shown.length / 2);
    this.#left -= bytesOf(shown);
    if (shown.length === text.length) return html`<bdi class="value">${text}</bdi>`;
    this.isExceeded = true;
    return html`<bdi class="value">${shown.toWellFormed()}…</bdi>
      <small>of ${formatNumber(text.length)} characters</small>`;
  }
}

function bytesOf(text: string): number {
  return Buffer.byteLength(html`${text}`.text);
}

export interface HistoryOptions {
  /** The form that reveals the content, or why there is none. */
  readonly revealing: Html;
  readonly earlier: Html | undefined;
  /** A link to what a value names; undefined for other fields. */
  readonly linkOf: (field: string, value: unknown) => Html | undefined;
}

interface RenderedHistory {
  readonly content: Html;
  readonly course: Html;
}

export function renderHistory(
  history: ShownHistory,
  { revealing, earlier, linkOf }: HistoryOptions,
): RenderedHistory {
  const space = new ValueSpace();
  const state = history.state && renderState(history.state, space, linkOf);
  const changes = history.changes.map((change) => renderChange(change, space));
  const content = html`<section aria-labelledby="content">
    <h2 id="content">Content</h2>
    ${revealing} ${state}
  </section>`;
  const course = html`<section aria-labelledby="history">
    <h2 id="history">History</h2>
    <p class="note">
      What each change changed, the latest first. The state takes each field from the change with
      the latest timestamp, so a change that arrives late may change little.
      ${
        !history.isExact &&
        "The history is long: values are compared with the changes shortly before only, and the latest state is not shown."
      }
    </p>
    <ol class="timeline">
      ${changes}
    </ol>
    ${earlier}
    ${
      space.isExceeded &&
      html`<p class="note">
        Long values are cut here. <code>${sluice} record show</code> shows everything.
      </p>`
    }
  </section>`;
  return { content, course };
}

function renderState(
  { fields, brokenRules }: ShownState,
  space: ValueSpace,
  linkOf: HistoryOptions["linkOf"],
): Html {
  const renderValue = (one: ShownState["fields"][number]) => {
    if (!("value" in one)) return hidden;
    return linkOf(one.field, one.value) ?? space.render(one.value, stateCharactersMax);
  };
  const columns: readonly Column<ShownState["fields"][number]>[] = [
    ["Field", ({ field }) => renderFieldName(field), "head"],
    ["Latest value", renderValue],
  ];
  return html`${renderTable(columns, fields, { style: "content" })}
  ${brokenRules.map((rule) => html`<p role="alert">The state breaks a rule: ${rule}</p>`)}`;
}

const hidden = html`<small>hidden</small>`;

/** In words; the tooltip has the name by which the organization sends it. */
function renderFieldName(field: string): Html {
  return html`<span title="${field}">${inWords(field)}</span>`;
}

function renderChange(change: ShownChange, space: ValueSpace): Html {
  const { receivedAt, happenedAt, fields } = change;
  const isRevealed = fields.some(({ values }) => values !== undefined);
  const effects =
    fields.length === 0
      ? html`<p>It changed nothing: the state had these values, or later ones.</p>`
      : isRevealed
        ? renderValues(fields, space)
        : html`<ul class="fields">
            ${fields.map(({ field, effect }) => html`<li>${renderFieldName(field)} ${effect}</li>`)}
          </ul>`;
  return html`<li>
    <p>Received ${renderTime(receivedAt)}, with the timestamp ${renderTimestamp(happenedAt)}</p>
    ${effects}
  </li>`;
}

function renderValues(fields: readonly ShownField[], space: ValueSpace): Html {
  const columns: readonly Column<ShownField>[] = [
    ["Field", ({ field }) => renderFieldName(field), "head"],
    ["Effect", ({ effect }) => effect],
    ["Before", ({ values }) => space.render(values?.before, changeCharactersMax)],
    ["After", ({ values }) => space.render(values?.after, changeCharactersMax)],
  ];
  return renderTable(columns, fields, { style: "content" });
}
