// Paths into a record, such as `addresses[0].address.city` or `additional_properties.note`.

import type { RecordType } from "../../../domain/record-type.ts";
import { alternativeFor, type SchemaShape, stepInto } from "../../../domain/schema/schema-shape.ts";
import { closestName } from "../../../domain/validation/suggest.ts";
import { OperatorError } from "../../../actions/operator/operator-error.ts";
import { mappingError } from "../rows.ts";

export type Step = string | number;

export interface RecordPath {
  readonly text: string;
  readonly steps: readonly Step[];
  readonly schema: SchemaShape;
  /** KEY in `additional_properties.KEY`, which stands for an entry of that list. */
  readonly propertyKey: string | undefined;
}

const listOfOwn = "additional_properties";

/** Throws OperatorError that suggests the field that was probably meant. */
export function resolvePath(type: RecordType, text: string): RecordPath {
  const own = new RegExp(`^${listOfOwn}\\.(.+)$`).exec(text)?.[1];
  if (own !== undefined) {
    return { text, steps: [listOfOwn], schema: { type: "string" }, propertyKey: own };
  }
  const steps = splitPath(type, text);
  let schema: SchemaShape = type.addSchema;
  for (const [index, step] of steps.entries()) {
    const inside = stepInto(schema, step);
    if (inside === undefined)
      throw noSuchPath(type, { text, schema, steps: steps.slice(0, index + 1) });
    schema = inside;
  }
  return { text, steps, schema, propertyKey: undefined };
}

function splitPath(type: RecordType, text: string): readonly Step[] {
  const parts = text.match(/[^.[\]]+|\[\d{1,3}\]/g) ?? [];
  if (parts.join(".").replaceAll(".[", "[") !== text) {
    throw mappingError(`"${text}" is not the path of a field of a ${type.resourceType}.`);
  }
  return parts.map((part) => (part.startsWith("[") ? Number(part.slice(1, -1)) : part));
}

function noSuchPath(
  type: RecordType,
  { text, schema, steps }: { text: string; schema: SchemaShape; steps: readonly Step[] },
): OperatorError {
  const known = Object.keys(alternativeFor(schema, "object")?.properties ?? {});
  const last = steps.at(-1);
  const meant = typeof last === "string" ? closestName(last, known) : undefined;
  const hint =
    meant === undefined
      ? known.length === 0
        ? "it has no fields"
        : `it has: ${known.join(", ")}`
      : `did you mean ${meant}?`;
  return mappingError(`A ${type.resourceType} has no field "${text}"; ${hint}.`);
}

type Container = Record<Step, unknown>;

/** Sets a value, and creates the objects and lists around it. `type`: the type of an entry of additional_properties. */
export function putAt(
  record: Record<string, unknown>,
  path: RecordPath,
  { value, type = "STRING" }: { value: unknown; type?: string | undefined },
): void {
  const [first, ...rest] = path.steps;
  let container = record as Container;
  if (path.propertyKey !== undefined) {
    // Such an entry can't be null.
    if (value === null) return;
    const list = (container[listOfOwn] ??= []) as unknown[];
    list.push({ key: path.propertyKey, value, type });
    return;
  }
  let step = first ?? "";
  for (const next of rest) {
    container[step] ??= typeof next === "number" ? [] : {};
    container = container[step] as Container;
    step = next;
  }
  container[step] = value;
}

export function closeGaps(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    const given = value.filter((item) => item !== undefined);
    value.splice(0, value.length, ...given);
  }
  for (const inside of Object.values(value)) closeGaps(inside);
}
