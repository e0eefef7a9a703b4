// Rows as objects of JSON, whose fields are those of a schema. Commands show them too, so this loads nothing of what
// reads requests.

import type { JsonSchema } from "../../http/openapi/document.ts";

type Read<Row, From> = (row: Row, from: From | undefined) => unknown;

/** A field is the property of its name unless it is read otherwise, and is left out without one. Numbers are times. */
export function viewFields<Row extends object, From = never>(
  schemas: Readonly<Record<string, JsonSchema>>,
  reads: Readonly<Record<string, Read<Row, From>>> = {},
): (row: Row, from?: From) => object {
  const fields = Object.keys(schemas).map((name): readonly [string, Read<Row, From>] => {
    const property = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return [name, reads[name] ?? ((row) => (row as Readonly<Record<string, unknown>>)[property])];
  });
  return (row, from) =>
    Object.fromEntries(
      fields.flatMap(([name, read]) => {
        const value = read(row, from);
        if (value === undefined) return [];
        return [[name, typeof value === "number" ? new Date(value).toISOString() : value]];
      }),
    );
}
