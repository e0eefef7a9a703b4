// The intake of this process as charts, on the page of its health: records, refusals and the duration of requests over
// an hour or a day. Counts nothing of types that this person may not know of.

import type { IntakeType } from "../../actions/upkeep/read-overview.ts";
import { titleOf } from "../../domain/record-types.ts";
import type { IntakeMinute } from "../../metrics/history.ts";
import { renderChart, type Slot } from "../html/chart.ts";
import { renderTabs } from "../html/chip.ts";
import { type Column, html, type Html, renderFacts, renderTable } from "../html/html.ts";
import { formatNumber, formatSeconds, quantile } from "../html/time.ts";
import type { Person } from "../page.ts";

interface Period {
  readonly name: string;
  readonly label: string;
  readonly slots: number;
  readonly minutesOfSlot: number;
}

const hour: Period = { name: "hour", label: "the last hour", slots: 60, minutesOfSlot: 1 };
const day: Period = { name: "day", label: "the last 24 hours", slots: 48, minutesOfSlot: 30 };

export function renderIntake({ app, query, sources }: Person, types: readonly IntakeType[]): Html {
  const period = query.get("period") === day.name ? day : hour;
  const { label } = period;
  const { minutes, buckets } = sources.history.read();
  const slots = toSlots(minutes, period, app.now());
  const counted = types.filter((type) => type.counted !== "none");
  const statuses = minutes.flatMap((one) => Object.keys(one.statuses));
  return html`${renderPeriods(period)}
    ${renderSums(slots, {
      title: `Changes stored in ${label}`,
      unit: "changes",
      names: counted.map(({ resourceType }) => resourceType),
      count: ({ records }) => records,
      heading: "Record type",
      none: "No change was stored.",
    })}
    ${renderUncounted(types)}
    ${renderSums(slots, {
      title: `Refused requests in ${label}`,
      unit: "requests",
      names: [...new Set(statuses)].filter((name) => name >= "400").sort(),
      count: (minute) => minute.statuses,
      heading: "Status",
      none: "No request was refused.",
    })}
    ${renderDurations(slots, { buckets, label })}
    <p class="note">
      Counted by this process since its start at most a day ago; other processes of the same store
      count their own.
    </p>`;
}

function renderPeriods(current: Period): Html {
  const tabs = [hour, day].map(({ name, label }) => ({
    href: `/console/health?period=${name}`,
    label,
    isCurrent: name === current.name,
  }));
  return renderTabs("Period", tabs);
}

interface Minutes {
  readonly at: number;
  /** Undefined for a time before the start of the process, which counted nothing then. */
  readonly minutes: readonly IntakeMinute[] | undefined;
}

function toSlots(
  minutes: readonly IntakeMinute[],
  { slots, minutesOfSlot }: Period,
  now: number,
): readonly Minutes[] {
  const shown = minutes.slice(-slots * minutesOfSlot);
  return Array.from({ length: slots }, (_, slot) => {
    const left = slots - slot;
    const end = shown.length - (left - 1) * minutesOfSlot;
    const part = shown.slice(Math.max(0, end - minutesOfSlot), Math.max(0, end));
    const at = now - left * minutesOfSlot * 60_000;
    return { at, minutes: part.length === 0 ? undefined : part };
  });
}

type Count = (minute: IntakeMinute) => Readonly<Record<string, number>>;

interface Sums {
  readonly title: string;
  readonly unit: string;
  readonly names: readonly string[];
  readonly count: Count;
  readonly heading: string;
  readonly none: string;
}

/** A chart of the sums of these names, with the parts of each bar, and the whole of each name that has any. */
function renderSums(
  slots: readonly Minutes[],
  { title, unit, names, count, heading, none }: Sums,
): Html {
  const sumOf = (minutes: readonly IntakeMinute[], name: string) =>
    sum(minutes.map((one) => count(one)[name] ?? 0));
  const partsOf = (minutes: readonly IntakeMinute[]) =>
    names.map((name) => [name, sumOf(minutes, name)] as const).filter(([, value]) => value > 0);
  const shown = slots.map(({ at, minutes }): Slot => {
    if (minutes === undefined) return { at, value: undefined };
    const parts = partsOf(minutes);
    const detail = parts.map(([name, value]) => `${titleOf(name)} ${formatNumber(value)}`);
    return { at, value: sum(parts.map(([, value]) => value)), detail: detail.join(", ") };
  });
  const columns: readonly Column<readonly [string, number]>[] = [
    [heading, ([name]) => titleOf(name), "head"],
    [unit, ([, value]) => formatNumber(value), "number"],
  ];
  const rows = partsOf(slots.flatMap(({ minutes = [] }) => minutes));
  return html`<section>
    <h2>${title}</h2>
    ${rows.length > 0 && renderChart({ label: title, unit, slots: shown })}
    ${renderTable(columns, rows, { style: "charts", empty: none })}
  </section>`;
}

function renderUncounted(types: readonly IntakeType[]): Html | false {
  const named = (how: IntakeType["counted"]) =>
    types.filter(({ counted }) => counted === how).map(({ resourceType }) => titleOf(resourceType));
  const [none, partly] = [named("none"), named("partly")];
  if (none.length + partly.length === 0) return false;
  return html`<p class="note">
    ${none.length > 0 && `Confidential records are not counted: ${none.join(", ")}.`}
    ${partly.length > 0 && `Not in organizations in which they are confidential: ${partly.join(", ")}.`}
  </p>`;
}

function renderDurations(
  slots: readonly Minutes[],
  { buckets, label }: { readonly buckets: readonly number[]; readonly label: string },
): Html {
  const add = (parts: readonly IntakeMinute[]) =>
    Array.from({ length: buckets.length + 1 }, (_, index) =>
      sum(parts.map(({ durations }) => durations[index] ?? 0)),
    );
  const longest = buckets.at(-1) ?? 0;
  const shown = slots.map(({ at, minutes = [] }): Slot => {
    const p99 = quantile(add(minutes), buckets, 0.99);
    const value = p99 === undefined ? undefined : Math.ceil(Math.min(p99, longest) * 1_000);
    return { at, value };
  });
  const all = add(slots.flatMap(({ minutes = [] }) => minutes));
  const facts = [0.5, 0.99].map(
    (share) =>
      [
        `${share * 100} % of them took at most`,
        formatSeconds(quantile(all, buckets, share), buckets),
      ] as const,
  );
  return html`<section aria-labelledby="durations">
    <h2 id="durations">Duration of requests in ${label}</h2>
    ${renderFacts(facts)}
    ${renderChart({ slots: shown, label: "99 % took at most", unit: "milliseconds" })}
  </section>`;
}

function sum(values: readonly number[]): number {
  return values.reduce((added, value) => added + value, 0);
}
