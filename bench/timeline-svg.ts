// Draws latencies over time as SVG, one panel below the other, with a logarithmic scale. Small enough for a repository:
// coordinates are whole pixels.

export interface Slot {
  /** Undefined where no request was sent. */
  readonly medianMs: number | undefined;
  readonly longestMs: number | undefined;
  /** Whether a checkpoint wrote to the database. */
  readonly isCheckpoint: boolean;
}

export interface Timeline {
  readonly name: string;
  readonly slots: readonly Slot[];
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

const width = 960;
const left = 60;
const right = 10;
const top = 34;
const panelHeight = 200;
const panelGap = 52;
/** The scale of a panel, from its lower to its upper edge. */
const leastMs = 0.1;
const mostMs = 1_000;

export function drawTimelines(
  title: string,
  timelines: readonly Timeline[],
  slotMs: number,
): string {
  const height = top + timelines.length * (panelHeight + panelGap) + 10;
  const panels = timelines.map((timeline, index) =>
    drawPanel(timeline, { top: top + 20 + index * (panelHeight + panelGap), slotMs }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<style>.m{fill:none;stroke:#1f6feb}.l{fill:none;stroke:#d1600a;stroke-width:.7}.c{fill:#2da44e;opacity:.25}.g{stroke:#ddd}</style>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${left}" y="18" font-weight="bold">${title}</text>
${panels.join("\n")}
</svg>
`;
}

interface Place {
  readonly top: number;
  readonly slotMs: number;
}

function drawPanel(timeline: Timeline, { top: panelTop, slotMs }: Place): string {
  const { slots, name, perSecond, p50Ms, p99Ms, p999Ms } = timeline;
  const x = (slot: number) => left + Math.round((slot * (width - left - right)) / slots.length);
  const y = (ms: number) => panelTop + Math.round(panelHeight * (1 - shareOf(ms)));
  const line = (of: (slot: Slot) => number | undefined) =>
    slots
      .map((slot, index) => [index, of(slot)] as const)
      .filter(([, ms]) => ms !== undefined)
      .map(([index, ms = 0]) => `${x(index)},${y(ms)}`)
      .join(" ");
  const bands = slots.flatMap(({ isCheckpoint }, index) =>
    isCheckpoint
      ? [`M${x(index)} ${panelTop}h${x(index + 1) - x(index)}v${panelHeight}H${x(index)}z`]
      : [],
  );
  const bottom = panelTop + panelHeight;
  const seconds = (slots.length * slotMs) / 1_000;
  const times = Array.from({ length: 7 }, (_, index) => (index * seconds) / 6);
  const figures = `${perSecond.toFixed(0)} adds/s; p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)}, p99.9 ${p999Ms.toFixed(2)} ms`;
  return [
    `<text x="${left}" y="${panelTop - 6}">${name}: ${figures}. Blue: median of ${slotMs} ms; orange: longest; green: checkpoint.</text>`,
    ...decades().map(
      (ms) =>
        `<path class="g" d="M${left} ${y(ms)}H${width - right}"/><text x="${left - 6}" y="${y(ms) + 4}" text-anchor="end">${ms} ms</text>`,
    ),
    ...times.map(
      (at) =>
        `<text x="${x((at * 1_000) / slotMs)}" y="${bottom + 16}" text-anchor="middle">${at.toFixed(0)} s</text>`,
    ),
    `<path class="c" d="${bands.join("")}"/>`,
    `<polyline class="l" points="${line(({ longestMs }) => longestMs)}"/>`,
    `<polyline class="m" points="${line(({ medianMs }) => medianMs)}"/>`,
  ].join("\n");
}

function decades(): readonly number[] {
  const count = Math.round(Math.log10(mostMs / leastMs));
  return Array.from({ length: count + 1 }, (_, index) =>
    Number((leastMs * 10 ** index).toFixed(1)),
  );
}

function shareOf(ms: number): number {
  const bounded = Math.min(mostMs, Math.max(leastMs, ms));
  return Math.log10(bounded / leastMs) / Math.log10(mostMs / leastMs);
}
