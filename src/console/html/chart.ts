// Draws small bar charts as SVG. A table beside each chart has its numbers.

import { type Html, html } from "./html.ts";
import { formatNumber } from "./time.ts";

const barWidth = 4;
const height = 32;

export interface Chart {
  /** What it shows, for people who don't see it. */
  readonly label: string;
  /** Oldest first. */
  readonly values: readonly number[];
}

/** One path for all bars; a bar that is not empty is at least visible. */
export function renderBars({ label, values }: Chart): Html {
  const max = Math.max(1, ...values);
  const bars = values.map((value, index) => {
    const size = value === 0 ? 0 : Math.max(1, Math.round((value / max) * height));
    return size === 0 ? "" : `M${index * barWidth} ${height}v${-size}h${barWidth - 1}v${size}z`;
  });
  const width = values.length * barWidth;
  const text = `${label}: at most ${formatNumber(Math.max(0, ...values))}`;
  return html`<svg
    class="bars"
    role="img"
    aria-label="${text}"
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
  >
    <path class="base" d="M0 ${height}h${width}" />
    <path d="${bars.join("")}" />
  </svg>`;
}
