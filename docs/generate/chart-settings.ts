// The settings in the schema of the chart's values: each setting of the service by its name, and its valid texts where
// a list or two bounds say them. The rest of the schema is written by hand.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allSettings } from "../../src/process/added-settings.ts";
import type { Setting } from "../../src/settings/setting.ts";

export const chartSchemaPath = "deploy/helm/sluice/values.schema.json";

/** The chart sets these itself. */
const ofChart: ReadonlySet<string> = new Set([
  "DATABASE_URL",
  "DATA_DIR",
  "NODE_ENV",
  "PORT",
  "RECEIPT_KEY_FILE",
  "SHUTDOWN_DELAY_MS",
  "SHUTDOWN_GRACE_MS",
]);
/** They belong into a Secret. */
const secret = /_(?:TOKEN|SECRET|HEADERS)$/;

interface Schema {
  readonly properties: Readonly<Record<string, object>>;
}

export function renderChartSchema(): string {
  const path = join(import.meta.dirname, "../..", chartSchemaPath);
  const schema = JSON.parse(readFileSync(path, "utf8")) as Schema;
  const properties = { ...schema.properties, settings: describeSettings() };
  return `${JSON.stringify({ ...schema, properties }, null, 2)}\n`;
}

function describeSettings(): object {
  const known = allSettings
    .filter(({ name }) => !ofChart.has(name) && !secret.test(name))
    .map((setting) => [setting.name, describeSetting(setting)] as const);
  return {
    description:
      "Generated. Settings that the chart sets itself, and secrets, are not accepted here.",
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(known),
  };
}

/** An empty text stands for the default. */
function describeSetting({ read: { form } }: Pick<Setting<unknown>, "read">): object {
  if (form === undefined) return { type: "string" };
  if ("values" in form) return { enum: [...new Set(["", ...form.values])] };
  const description = `A whole number from ${form.min} to ${form.max}, as text.`;
  return {
    description,
    type: "string",
    pattern: `^(?:${patternsOf(form.min, form.max).join("|")})?$`,
  };
}

/** Patterns of the whole numbers from `min` to `max`, without leading zeros. */
function patternsOf(min: number, max: number): readonly string[] {
  const [low, high] = [String(min), String(max)];
  if (low.length === high.length) return ofEqualLength(low, high);
  const last = 10 ** low.length - 1;
  return [...ofEqualLength(low, String(last)), ...patternsOf(last + 1, max)];
}

/** A pattern for texts of digits, which may begin with zeros. */
function ofEqualLength(low: string, high: string): readonly string[] {
  if (low.length === 1) return [low === high ? low : `[${low}-${high}]`];
  const [first, rest, last, end] = [low.slice(0, 1), low.slice(1), high.slice(0, 1), high.slice(1)];
  if (first === last) return starting(first, ofEqualLength(rest, end));
  const [isFull, isOpen] = [/^0+$/.test(rest), /^9+$/.test(end)];
  const [from, to] = [Number(first) + (isFull ? 0 : 1), Number(last) - (isOpen ? 0 : 1)];
  const inner = from === to ? String(from) : `[${from}-${to}]`;
  return [
    ...(isFull ? [] : starting(first, ofEqualLength(rest, "9".repeat(rest.length)))),
    ...(from <= to ? [`${inner}[0-9]{${rest.length}}`] : []),
    ...(isOpen ? [] : starting(last, ofEqualLength("0".repeat(end.length), end))),
  ];
}

function starting(digit: string, tails: readonly string[]): readonly string[] {
  return tails.map((tail) => digit + tail);
}
