// Fields that are made of several columns, or of a text in a format: the same from `--map` and from a mapping file.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  type Mapping,
  readMapItems,
  readMappingFile,
} from "../../../src/feature/import/map/mapping.ts";
import { makeRowMapper } from "../../../src/feature/import/map/map-row.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { typeNamed } from "../../conformance/scene.ts";

const folder = makeTempFolder();
const type = typeNamed("transaction");

const batches = (): never => assert.fail("no row is read");

/** The value of the field, or what is wrong with it. */
function read(mapping: Mapping, row: Readonly<Record<string, string>>, field: string): unknown {
  const input = { format: "csv", columns: Object.keys(row), batches } as const;
  const mapped = makeRowMapper(input, { type, mapping, update: false }).map({
    number: 1,
    cells: Object.values(row),
  });
  if ("submissions" in mapped) return mapped.submissions[0]?.payload[field];
  return mapped.fieldErrors.find((error) => error.field === field)?.message;
}

const when = { d: "31.01.2026", t: "09:30", z: "CET" };

const bySign = {
  column: "a",
  number: "comma",
  values: { "+": "DEPOSIT", "-": "WITHDRAWAL" },
  default: "DEPOSIT",
};
const shortened =
  "is a number that a spreadsheet has shortened, such as 1.23457E+15; export the column as text";
const byColumn = { filled: { debit: "WITHDRAWAL", credit: "DEPOSIT" } };

const cases: readonly (readonly [
  field: string,
  item: string | undefined,
  origin: unknown,
  row: Readonly<Record<string, string>>,
  value: unknown,
])[] = [
  ["amount", "a@comma", { column: "a", number: "comma" }, { a: "1.234,5" }, 1234.5],
  ["amount", "a@comma", { column: "a", number: "comma" }, { a: "(null)" }, undefined],
  ["amount", "a@minor:c", { column: "a", number: "minor:c" }, { a: "12345", c: "kwd" }, 12.345],
  ["amount", "~{a}-@point", { template: "{a}-", number: "point" }, { a: "7" }, -7],
  [
    "timestamp",
    "~{d} {t} {z}@dd.MM.yyyy HH:mm VV",
    { template: "{d} {t} {z}", time: "dd.MM.yyyy HH:mm VV" },
    when,
    "2026-01-31T09:30:00+01:00",
  ],
  [
    "timestamp",
    "~{d}@dd.MM.yyyy UTC",
    { template: "{d}", time: "dd.MM.yyyy UTC" },
    { d: "31.02.2026" },
    "is not a time in the calendar",
  ],
  ["sender_country", "a@meant", { column: "a", code: "meant" }, { a: "uk " }, "GB"],
  ["sender_country", "a@meant", { column: "a", code: "meant" }, { a: "DEU" }, "DE"],
  ["sender_country", "~{a}@meant", { template: "{a}", code: "meant" }, { a: "Mars" }, "Mars"],
  ["currency", "a@meant", { column: "a", code: "meant" }, { a: "eur" }, "EUR"],
  ["tx_id", "a", "a", { a: "1.23457E+15" }, shortened],
  ["tx_id", "a", "a", { a: "1E5" }, "1E5"],
  [
    "tx_id",
    "a",
    "a",
    { a: "81.0" },
    "is a whole number with decimals, as pandas writes 81 beside empty cells; export the column as text, or read it as the number point",
  ],
  ["tx_id", "a@point", { column: "a", number: "point" }, { a: "81.0" }, "81"],
  ["tx_id", "a@comma", { column: "a", number: "comma" }, { a: "8,5" }, "must be a whole number"],
  ["tx_id", "~x-{a}", { template: "x-{a}" }, { a: "1.23457E+15" }, shortened],
  [
    "tx_id",
    "~x-{a}",
    { template: "x-{a}" },
    { a: String.raw`\N` },
    String.raw`is made of a cell that is \N, which is no text`,
  ],
  ["sender_id", "~{a}@b", { template: "{a}@b" }, { a: "x" }, "x@b"],
  [
    "amount",
    undefined,
    { column: ["credit", "debit"], number: "point" },
    { credit: "", debit: "5.00" },
    5,
  ],
  [
    "amount",
    undefined,
    { column: ["credit", "debit"], number: "comma" },
    { credit: "0,00 ", debit: "5,00" },
    5,
  ],
  ["amount", undefined, { column: ["a", "b"] }, { a: "0.00", b: "0" }, 0],
  ["amount", undefined, { column: ["none", "b"] }, { b: "5" }, 5],
  ["amount", undefined, { column: ["a", "b"] }, { a: String.raw`\N`, b: "5" }, 5],
  ["amount", undefined, { column: ["a", "b"] }, { a: String.raw`\N`, b: "" }, null],
  ["amount", undefined, { column: ["a", "b"], number: "point" }, { a: "(null)", b: "0" }, 0],
  ["sender_id", undefined, { column: ["a", "b"] }, { a: String.raw`\N`, b: "n/a" }, "n/a"],
  [
    "amount",
    undefined,
    { column: ["a", "b"] },
    { a: "nil", b: "5" },
    'must be a number, such as 1250.5, not "nil"',
  ],
  ["type", undefined, bySign, { a: "1.234,5" }, "DEPOSIT"],
  ["type", undefined, bySign, { a: "(5,00)" }, "WITHDRAWAL"],
  ["type", undefined, bySign, { a: "-" }, "DEPOSIT"],
  ["type", undefined, { ...bySign, column: ["b", "a"] }, { a: "-5,00", b: "n/a" }, "WITHDRAWAL"],
  [
    "type",
    undefined,
    bySign,
    { a: "0,00" },
    'is "0", which the mapping has no value for; it has values for +, -',
  ],
  ["type", undefined, bySign, { a: "5.0" }, 'must be a number written as 1.234,56, not "5.0"'],
  ["type", undefined, byColumn, { debit: "", credit: "5,00" }, "DEPOSIT"],
  ["type", undefined, byColumn, { debit: "5,00", credit: "0,00" }, "WITHDRAWAL"],
  ["type", undefined, byColumn, { debit: "-", credit: "" }, undefined],
  ["type", undefined, byColumn, { debit: " n/a", credit: "5,00" }, "DEPOSIT"],
  ["type", undefined, byColumn, { debit: String.raw`\N`, credit: "5,00" }, "DEPOSIT"],
  [
    "status",
    undefined,
    { column: "a", values: { ok: "SETTLED" } },
    { a: "ok " },
    "has blanks around it; the layout trim=yes leaves them out",
  ],
  ["amount", undefined, { column: "a", number: "point", default: 0 }, { a: "-" }, 0],
];

describe("the origin of a field", () => {
  it("is without blanks if the layout trims", () => {
    const options = { type, update: false, layout: { trim: "yes" } } as const;
    const wanted = [{ update: false, payload: { tx_id: "x" } }];
    const mapping = new Map(readMapItems("tx_id=id"));
    const csv = { format: "csv", columns: ["id"], batches } as const;
    const row = { number: 1, cells: [" x "] };
    assert.deepEqual(makeRowMapper(csv, { ...options, mapping }).map(row), { submissions: wanted });
    const json = { format: "ndjson", columns: undefined, batches } as const;
    const item = { number: 1, fields: { tx_id: " x", l: [{ k: "y " }, 1] } };
    assert.deepEqual(makeRowMapper(json, { ...options, mapping: new Map() }).map(item), {
      submissions: [{ update: false, payload: { tx_id: "x", l: [{ k: "y" }, 1] } }],
    });
  });

  for (const [field, item, origin, row, value] of cases) {
    it(`${JSON.stringify(origin)} makes ${JSON.stringify(row)} ${JSON.stringify(value)}`, () => {
      const file = join(folder, "mapping.json");
      writeFileSync(file, JSON.stringify({ fields: { [field]: origin } }));
      assert.equal(read(readMappingFile(file).mapping, row, field), value);
      if (item === undefined) return;
      assert.equal(read(new Map(readMapItems(`${field}=${item}`)), row, field), value);
    });
  }

  it("is no entry of additional_properties where it is null", () => {
    const mapping = new Map(readMapItems("additional_properties.note=a"));
    assert.equal(read(mapping, { a: String.raw`\N` }, "additional_properties"), undefined);
  });

  it("is refused with a format that the field doesn't have, and says which there are", () => {
    for (const [item, message] of [
      ["amount=a@unix", /mapping of amount .* no number format "unix". It is point/],
      [
        "sender_country=a@upper",
        /mapping of sender_country .* no format "upper"; its only format is "meant"/,
      ],
      ["timestamp=a@comma", /mapping of timestamp .* "comma".*which stands for nothing/],
    ] as const) {
      assert.throws(() => read(new Map(readMapItems(item)), { a: "1" }, "amount"), { message });
    }
  });

  for (const [text, message] of [
    ['{"fields": {', /mapping\.json is not JSON\.$/],
    ['{"fields": {"type": {"filled": "a"}}}', /"filled" must be an object/],
    [
      '{"fields": {"type": {"column": "a", "time": "unix", "values": {}}}}',
      /can have only "number"/,
    ],
    ['{"fields": {"amount": {"column": "a", "time": "unix", "number": "point"}}}', /more than one/],
  ] as const) {
    it(`is refused in a file such as ${text}`, () => {
      const file = join(folder, "mapping.json");
      writeFileSync(file, text);
      assert.throws(() => readMappingFile(file), { message });
    });
  }
});
