// Draws a bar chart over time as SVG, with an axis and its unit, the times below it until now, a tooltip for each bar,
// and the same numbers as a table.

import { dateOf, dayMs } from "../../basics/duration.ts";
import { type Column, type Html, html, renderTable } from "./html.ts";
import { formatNumber } from "./time.ts";

/** The time of a bar and its value; undefined if nothing was counted, which is not 0. */
export interface Slot {
  readonly at: number;
  readonly value: number | undefined;
  readonly detail?: string | undefined;
}

export interface Chart {
  readonly label: string;
  readonly unit: string;
  readonly slots: readonly Slot[];
  /** Shown as the day, in UTC; otherwise as the hour. */
  readonly isByDay?: boolean;
  /** What the details are, for the table. */
  readonly details?: string;
  /** What is at the end of the axis. */
  readonly end?: string;
}

const height = 100;
const timesShown = 5;

export function renderChart(chart: Chart): Html {
  const { label, unit, slots, isByDay = false, end = "now" } = chart;
  const values = slots.map(({ value }) => value ?? 0);
  const top = roundUp(Math.max(1, ...values));
  const bars = slots.map((slot, index) => {
    if (slot.value === 0) return false;
    const size = Math.max(2, ((slot.value ?? top) / top) * height);
    const y = Math.round((height - size) * 10) / 10;
    const title = describe(slot, chart);
    return html`<g class="${slot.value === undefined ? "uncounted" : "bar"}"
      ><title>${title}</title><path class="room" d="M${index} 0h1v${height}h-1z" /><path
        d="M${index + 0.1} ${height}V${y}h.8V${height}z"
    /></g>`;
  });
  const step = stepOf(slots.length);
  const shown = slots.filter((_, index) => index % step === 0);
  const [first, ...others] = shown.map(({ at }) => (isByDay ? shortDayOf : clockOf)(at));
  const total = `${label}: at most ${formatNumber(Math.max(0, ...values))} ${unit}`;
  return html`<figure class="chart">
    <figcaption aria-hidden="true">${unit}</figcaption>
    <div class="axis" aria-hidden="true">
      <span>${formatNumber(top)}</span><span>${formatNumber(top / 2)}</span><span>0</span>
    </div>
    <svg
      role="img"
      aria-label="${total}"
      viewBox="0 0 ${slots.length} ${height}"
      preserveAspectRatio="none"
    >
      <path class="grid" d="M0 0h${slots.length}M0 50h${slots.length}M0 100h${slots.length}" />
      ${bars}
    </svg>
    <div class="hours" aria-hidden="true">
      ${[`${first} UTC`, ...others, end].map((time) => html`<span>${time}</span>`)}
    </div>
    <details>
      <summary>${label} as a table</summary>
      ${renderNumbers(chart)}
    </details>
  </figure>`;
}

function describe({ at, value, detail }: Slot, { unit, isByDay = false }: Chart): string {
  const counted = value === undefined ? "not counted" : `${formatNumber(value)} ${unit}`;
  const more = detail === undefined || detail === "" ? "" : ` (${detail})`;
  return `${(isByDay ? dateOf : clockOf)(at)} UTC: ${counted}${more}`;
}

function renderNumbers({ slots, unit, details, isByDay = false }: Chart): Html {
  const columns: readonly Column<Slot>[] = [
    ["From (UTC)", ({ at }) => (isByDay ? dateOf : clockOf)(at), "head"],
    [unit, ({ value = 0 }) => formatNumber(value), "number"],
    ...(details === undefined ? [] : [[details, ({ detail }: Slot) => detail ?? "–"] as const]),
  ];
  const counted = slots.filter(({ value }) => value !== undefined);
  return renderTable(columns, counted.toReversed(), { style: "plain" });
}

/** The next number of the form 2, 4, 10, 20, 40, 100 and so on; half of each is whole too. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const found = [1, 2, 4, 10].find((factor) => factor * power >= value) ?? 10;
  return Math.max(2, found * power);
}

/** Divides the slots, so that the times below them are at equal distances up to the end. */
function stepOf(slots: number): number {
  const steps = Array.from({ length: slots }, (_, index) => index + 1);
  return steps.find((step) => slots % step === 0 && slots / step <= timesShown) ?? 1;
}

const shortDay = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

function shortDayOf(at: number): string {
  return shortDay.format(at);
}

function clockOf(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}

/** A part of a row; without an end it lasts. */
export interface Bar {
  readonly name: string;
  readonly from: number;
  readonly until: number | undefined;
  /** It keeps records. */
  readonly keeps?: boolean;
}

interface Axis {
  readonly label: string;
  /** Undefined if what is shown is over. */
  readonly now: number | undefined;
  /** The least time at the right end. */
  readonly until?: number;
}

const rowHeight = 32;
const daysShownAsTimes = 3;

/** Rows of bars on one axis of time, with a line at now. What stands beside it says the same in words. */
export function renderBars(
  rows: readonly (readonly [name: string, bars: readonly Bar[]])[],
  { label, now, until = now }: Axis,
): Html {
  const bars = rows.flatMap(([, row]) => row);
  const start = Math.min(...bars.map(({ from }) => from));
  const ends = bars.map((bar) => bar.until ?? bar.from);
  const end = Math.max(start + 1, until ?? start, ...ends);
  const placeOf = (time: number) => Math.round(((time - start) / (end - start)) * 1_000) / 10;
  const textOf = end - start < daysShownAsTimes * dayMs ? minuteOf : dateOf;
  const bottom = rows.length * rowHeight;
  const renderBar = (bar: Bar, y: number) => {
    const { name, from, until: last, keeps = false } = bar;
    const width = Math.max(0.5, placeOf(last ?? end) - placeOf(from));
    const x = Math.min(placeOf(from), 100 - width);
    const times = `${textOf(from)} to ${last === undefined ? "an open end" : textOf(last)}`;
    return html`<rect
      class="${last === undefined && "open"} ${keeps && "keeps"}"
      x="${x}%"
      y="${y + 18}"
      width="${width}%"
      height="8"
      ><title>${name}: ${times}</title></rect
    >`;
  };
  return html`<svg class="bars" role="img" aria-label="${label}" height="${bottom + 36}">
    ${rows.map(
      ([name, row], index) =>
        html`<text y="${index * rowHeight + 13}">${name}</text>
          ${row.map((bar) => renderBar(bar, index * rowHeight))}`,
    )}
    <line x1="0" x2="100%" y1="${bottom}" y2="${bottom}" />
    ${quartersIn(start, end).map((time) => renderQuarter(time, placeOf(time), bottom))}
    ${[start, end].map((time) => renderMark(textOf(time), placeOf(time), bottom + 16))}
    ${
      now !== undefined &&
      html`<line class="now" x1="${placeOf(now)}%" x2="${placeOf(now)}%" y1="0" y2="${bottom}" />
        ${renderMark("now", placeOf(now), bottom + 32)}`
    }
  </svg>`;
}

const yearsMarked = { min: 1, max: 12 };

/** The beginnings of quarters in UTC, if the axis is of years. */
function quartersIn(start: number, end: number): readonly number[] {
  const years = (end - start) / (365 * 86_400_000);
  if (years < yearsMarked.min || years > yearsMarked.max) return [];
  const first = new Date(start).getUTCFullYear();
  return Array.from({ length: 4 * (Math.ceil(years) + 1) }, (_, no) =>
    Date.UTC(first, 3 * no, 1),
  ).filter((time) => time > start && time < end);
}

/** The first of a year has its number, too, which a narrow window has no room for near the ends. */
function renderQuarter(time: number, place: number, bottom: number): Html {
  const date = new Date(time);
  const isYear = date.getUTCMonth() === 0;
  const isFree = place > 12 && place < 88;
  const isFar = place > 25 && place < 75;
  return html`<line
      x1="${place}%"
      x2="${place}%"
      y1="${bottom - (isYear ? 8 : 4)}"
      y2="${bottom}"
    />
    ${isYear && isFree && html`<g class="${!isFar && "wide"}">${renderMark(String(date.getUTCFullYear()), place, bottom + 16)}</g>`}`;
}

/** `place`: in per cent. A text at an end of the axis does not go beyond it. */
function renderMark(text: string, place: number, y: number): Html {
  const anchor = place < 10 ? "start" : place > 90 ? "end" : "middle";
  return html`<text class="quiet" x="${place}%" y="${y}" text-anchor="${anchor}">${text}</text>`;
}

function minuteOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
