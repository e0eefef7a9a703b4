// Draws the relations of a record as a small graph in SVG. A list beside it always shows the same as links.

import type { RelationKind } from "../../domain/record-type.ts";
import { titleOf } from "../../domain/record-types.ts";
import { type Html, html } from "./html.ts";
import { formatCount } from "../../basics/format-count.ts";

export interface GraphNode {
  readonly resourceType: string;
  readonly resourceId: string;
}

export interface GraphEdge extends GraphNode {
  readonly kind: RelationKind;
}

export interface Graph {
  readonly center: GraphNode;
  /** The records that refer to it, drawn on the left, and the records that it refers to, on the right. */
  readonly referrers: readonly GraphEdge[];
  readonly references: readonly GraphEdge[];
}

const nodesShownMax = 6;
const charactersMax = 19;
const width = 210;
const height = 44;
const gap = 12;
const columns = [0, 275, 550] as const;

/** Arrows point to the record that is referred to, and are dashed if it is only mentioned. */
export function renderGraph({ center, referrers, references }: Graph): Html {
  const rows = Math.max(1, rowsOf(referrers), rowsOf(references));
  const total = rows * (height + gap);
  const [left, own, right] = columns;
  const from = referrers.length === 0 ? own : left;
  const to = (references.length === 0 ? own : right) + width;
  const label = `${countOf(referrers)} that refer to this ${titleOf(center.resourceType)}, and ${countOf(references)} that it refers to`;
  return html`<svg
    class="graph"
    role="img"
    aria-label="${label}"
    viewBox="${from} 0 ${to - from} ${total}"
    width="${to - from}"
  >
    ${renderSide(referrers, left, {
      total,
      arrow: (y) => drawArrow([left + width, y], [own, total / 2]),
    })}
    ${renderSide(references, right, {
      total,
      arrow: (y) => drawArrow([own + width, total / 2], [right, y]),
    })}
    ${renderNode(center, own, (total - height) / 2)}
  </svg>`;
}

function countOf(edges: readonly GraphEdge[]): string {
  return edges.length > nodesShownMax
    ? `more than ${nodesShownMax} records`
    : formatCount(edges.length, "record");
}

function rowsOf(edges: readonly GraphEdge[]): number {
  return Math.min(edges.length, nodesShownMax + 1);
}

interface Side {
  readonly total: number;
  /** The path of an arrow to or from a node whose middle is there. */
  readonly arrow: (y: number) => string;
}

function renderSide(
  edges: readonly GraphEdge[],
  x: number,
  { total, arrow }: Side,
): readonly Html[] {
  const rows = rowsOf(edges);
  const top = (total - rows * (height + gap)) / 2;
  const yOf = (row: number) => top + row * (height + gap);
  const nodes = edges
    .slice(0, nodesShownMax)
    .map(
      (edge, row) =>
        html`<path
            class="${edge.kind}"
            d="${arrow(yOf(row) + height / 2)}"
          />${renderNode(edge, x, yOf(row))}`,
    );
  if (edges.length <= nodesShownMax) return nodes;
  const y = yOf(nodesShownMax) + height / 2;
  return [...nodes, html`<text x="${x + 12}" y="${y}">and more</text>`];
}

function renderNode({ resourceType, resourceId }: GraphNode, x: number, y: number): Html {
  return html`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" />
    <text class="type" x="${x + 12}" y="${y + 17}">${shorten(titleOf(resourceType))}</text>
    <text x="${x + 12}" y="${y + 35}">${shorten(resourceId)}</text>`;
}

type Point = readonly [x: number, y: number];

function drawArrow([fromX, fromY]: Point, [toX, toY]: Point): string {
  const halfway = (fromX + toX) / 2;
  const head = `M${toX - 7} ${toY - 4}L${toX} ${toY}L${toX - 7} ${toY + 4}`;
  return `M${fromX} ${fromY}C${halfway} ${fromY} ${halfway} ${toY} ${toX} ${toY}${head}`;
}

function shorten(text: string): string {
  return text.length <= charactersMax
    ? text
    : `${text.slice(0, charactersMax - 1).toWellFormed()}…`;
}
