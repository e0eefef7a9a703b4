// The beginning of an uploaded file in every format: its columns, the mapping by their names, and the first rows.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { openRows } from "../../../src/feature/import/rows/open-rows.ts";
import { inspectFile } from "../../../src/feature/upload/inspect.ts";
import type { MappingChoice } from "../../../src/feature/upload/column-choice.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { typeNamed } from "../../conformance/scene.ts";

const type = typeNamed("person");
const plan = {
  openRows,
  timestampMin: "1980-01-01",
  type,
  organizationId: "acme",
  update: false,
  format: undefined,
  connections: 1,
  listRows: 250,
};
const person = { person_id: "p1", is_test_user: false, is_retail_customer: true };
const timestamp = "2026-01-31T09:30:00Z";

const choose = (columns: Readonly<Record<string, string>>, more = ""): MappingChoice => ({
  preset: "",
  layout: {},
  columns: Object.entries(columns).map(([name, field]) => ({ column: name, field, time: "" })),
  more,
});

describe("the beginning of an uploaded file", () => {
  const folder = makeTempFolder();

  const inspect = (name: string, content: string | Uint8Array, choice?: MappingChoice) => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return inspectFile(file, plan, choice);
  };

  it("is not searched without end", async () => {
    const blank = gzipSync(Buffer.alloc(80 * 1_024 * 1_024, `${" ".repeat(1_023)}\n`));
    await assert.rejects(inspect("blank.ndjson.gz", blank), /has no 5 rows in its first 67108864/);
  });

  it("becomes no record whose JSON takes more than a thread has", async () => {
    const long = "x".repeat(3_000_000);
    const cases = [
      [long, "additional_properties.one=b,additional_properties.two=b"],
      [long, "additional_properties.one=~{b}{b}"],
      ["\u0001".repeat(1_000_000), "additional_properties.one=b"],
    ] as const;
    for (const [cell, more] of cases) {
      const choice = choose({ person_id: "person_id", b: "" }, more);
      const { rows } = await inspect("long.csv", `person_id,b\np1,${cell}\n`, choice);
      const [{ message = "" } = {}] = rows[0]?.errors ?? [];
      assert.match(
        message,
        /becomes (?:a record of more|longer) than (?:655360|4194304) characters/,
      );
    }
  });

  it("is mapped by no time format that is longer than any", async () => {
    const more = `timestamp=b@yyyy-MM-dd${"-".repeat(200)} UTC`;
    const { problem } = await inspect(
      "time.csv",
      "person_id,b\np1,x\n",
      choose({ person_id: "person_id", b: "" }, more),
    );
    assert.match(problem ?? "", /timestamp does not work: The time format is longer than 200/);
  });

  it("maps columns by their names, apart from case and spaces, and no others", async () => {
    const content = `Person ID,is_test_user,Is-Retail-Customer,timestmp,Remark\np1,0,1,${timestamp},x\n`;
    const { columns, problem, rows } = await inspect("persons.csv", content);
    assert.deepEqual(
      columns.map(({ column: name, field, meant }) => [name, field, meant]),
      [
        ["Person ID", "person_id", undefined],
        ["is_test_user", "is_test_user", undefined],
        ["Is-Retail-Customer", "is_retail_customer", undefined],
        ["timestmp", "", "timestamp"],
        ["Remark", "", undefined],
      ],
    );
    assert.equal(problem, undefined);
    assert.deepEqual(rows[0]?.errors, [{ field: "timestamp", message: "is required" }]);
  });

  it("reads compressed NDJSON and sends objects with the names of fields as they are", async () => {
    const lines = [
      { ...person, timestamp },
      { ...person, timestamp, is_test_user: true },
    ];
    const content = gzipSync(lines.map((line) => JSON.stringify(line)).join("\n"));
    const { mapping, rows, columns } = await inspect("persons.ndjson.gz", content);
    assert.equal(mapping?.size, 0);
    assert.equal(columns.length, 4);
    assert.deepEqual(
      rows.map(({ errors }) => errors),
      [[], []],
    );
  });

  it("leaves out a column that has the name of a field but was given none", async () => {
    const content = `person_id,is_test_user,is_retail_customer,timestamp,birth_date\np1,0,1,${timestamp},x\n`;
    const names = ["person_id", "is_test_user", "is_retail_customer", "timestamp"];
    const chosen = Object.fromEntries(names.map((name) => [name, name]));
    const { rows, problem } = await inspect(
      "left.csv",
      content,
      choose({ ...chosen, birth_date: "" }),
    );
    assert.equal(problem, undefined);
    assert.deepEqual(
      rows[0]?.records[0]?.map(([field]) => field),
      names,
    );
  });

  it("is mapped by a mapping file, with its layout", async () => {
    const fields = { person_id: { column: "1", number: "point" }, first_name: "2" };
    const more = JSON.stringify({ layout: { header: "no", quote: "none" }, fields });
    const { rows, layout, problem } = await inspect("file.csv", '81.0,"x\n', choose({}, more));
    assert.equal(problem, undefined);
    assert.deepEqual(layout, { header: "no", quote: "none" });
    assert.deepEqual(rows[0]?.records, [
      [
        ["person_id", "81"],
        ["first_name", '"x'],
      ],
    ]);
  });

  it("says what is wrong with a choice, without failing", async () => {
    const content = "a,b\n1,2\n";
    for (const [columns, message, more = ""] of [
      [{ a: "", b: "" }, /No column is mapped/],
      [{ a: "person_id", b: "person_id" }, /both mapped to/],
      [{ a: "persn_id", b: "" }, /did you mean person_id/],
      [{ a: "person_id", b: "" }, /is not a mapping/, "x"],
      [{ a: "", b: "" }, /mapping file must have "fields"/, "{}"],
      [{ missing: "person_id" }, /has no column "missing"/],
      [{ a: "constructor", b: "" }, /has no field "constructor"/],
    ] as const) {
      const { problem } = await inspect("wrong.csv", content, choose(columns, more));
      assert.match(problem ?? "", message);
    }
    const choice = choose({ a: "person_id" }, "is_test_user==1");
    const { rows } = await inspect("wrong.csv", content, choice);
    assert.deepEqual(rows[0]?.records[0]?.slice(0, 2), [
      ["person_id", "1"],
      ["is_test_user", "true"],
    ]);
  });

  it("can't be read where it is empty, not what its name says, or too wide", async () => {
    const wide = Array.from({ length: 301 }, (_, index) => `c${index}`).join(",");
    const files: readonly (readonly [string, string, RegExp])[] = [
      ["empty.csv", "", /is empty/],
      ["head.csv", "a,b\n", /has no rows/],
      ["wide.csv", `${wide}\n${wide}\n`, /has 301 columns; at most 300/],
      ["rows.parquet", "PAR1", /is Parquet, which can't be uploaded. Run npx sluice import /],
      ["not.csv.gz", "a,b\n1,2\n", /damaged or truncated/],
      ["object.json", "{}", /is not a JSON list/],
    ];
    for (const [name, content, message] of files) {
      await assert.rejects(inspect(name, content), { errorName: "input", message });
    }
  });
});
