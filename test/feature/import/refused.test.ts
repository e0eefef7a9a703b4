// The file of refused rows: each row has its reason next to it, and after correction there the file
// is imported like any other.

import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { refusedLimits } from "../../../src/feature/import/import-file.ts";
import { refusedName } from "../../../src/feature/import/file-paths.ts";
import { RefusedFile } from "../../../src/feature/import/refused-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import type { CommandLine } from "../../cli/command-line.ts";
import { makeStore } from "../../support/round-trip.ts";
import { importing, put, report } from "./importing.ts";

const time = "2026-01-01T00:00:00Z";

function importFile(line: CommandLine, file: string, ...more: readonly string[]) {
  return report(line, ...importing(file, "risk_assessment", ...more));
}

function assess(id: string, outcome: unknown = "LOW") {
  return { assessment_id: id, type: "band", outcome, timestamp: time };
}

const head = "assessment_id,type,outcome,timestamp";

function rowsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `a${index + 1},band,"LOW",${time}`);
}

describe("the file of refused rows of an import that continues", () => {
  it("has to be there, and the message says what to do", () => {
    const path = join(makeTempFolder(), "rows.refused.csv");
    assert.throws(() => new RefusedFile({ path, columns: undefined, bytes: 10 }), {
      name: "OperatorError",
      message:
        /^\S+\.csv, the file of refused rows with which .*is missing\. Put it back, or remove/,
    });
  });
});

describe("an import that has failed before it sent anything", () => {
  it("can be repeated in another way", async () => {
    const line = await makeStore();
    const file = put(line, "rows.json", [{ a: [assess("one")] }]);
    const { message } = await line.fail(...importing(file, "risk_assessment"));
    assert.match(message, /is in an object, say where/);
    assert.equal((await importFile(line, file, "--list", "a")).written, 1);
  });
});

describe("CSV", () => {
  for (const [what, headEnd, rowEnd] of [
    ["whose first line ends in CR LF and whose others in LF", "\r\n", "\n"],
    ["whose first line ends in LF and whose others in CR LF", "\n", "\r\n"],
  ] as const) {
    it(`${what} has all of its rows`, async () => {
      const line = await makeStore();
      const file = join(line.folder, "r.csv");
      writeFileSync(file, `${head}${headEnd}${rowsOf(5_000).join(rowEnd)}${rowEnd}`);
      const { written, refused } = await importFile(line, file);
      assert.deepEqual([written, refused], [5_000, 0]);
      const { state } = await line.ask("record show risk_assessment a7 --organization acme");
      assert.equal((state as Record<string, unknown>)["timestamp"], time);
    });
  }

  it("loses a row to each stray quote, which is refused with its line and can be corrected", async () => {
    const line = await makeStore();
    const rows = rowsOf(5_000);
    const damages = [
      `a3500,ba"nd,LOW,${time}`,
      `a3501,band,"LOW,${time}`,
      `a5000,"band,LOW,${time}`,
    ];
    for (const damage of damages) rows[Number(damage.slice(1, 5)) - 1] = damage;
    const {
      written,
      refused,
      refused_file: path,
    } = await importFile(line, put(line, "r.csv", [head, ...rows]));
    assert.deepEqual([written, refused], [4_997, 3]);
    const text = readFileSync(path ?? "", "utf8");
    assert.match(text, /3500,unreadable,"has a quote inside .*, in line 3501 of the file"/);
    assert.match(text, /3501,unreadable,"has a quote that is not closed, in line 3502 /);
    assert.match(text, /5000,unreadable,"has a quote that is not closed, in line 5001 /);
    // In a cell, each quote is written twice.
    const corrected = put(line, "corrected.csv", [text.trimEnd().replaceAll(/(?<=[,a])""/g, "")]);
    assert.equal((await importFile(line, corrected)).written, 3);
  });
});

describe("the refused rows of NDJSON", () => {
  it("keep unreadable lines as text, and are imported once they are corrected", async () => {
    const line = await makeStore();
    const broken = JSON.stringify(assess("two")).replace('"LOW"', "LOW");
    const rows = [assess("one"), broken, assess("three", 7), "[]", assess("five")];
    const { written, refused, refused_file } = await importFile(line, put(line, "r.ndjson", rows));
    assert.deepEqual([written, refused], [2, 3]);
    const file = refused_file ?? "";
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const kept = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    assert.deepEqual(
      kept.map(({ sluice_row, sluice_code }) => [sluice_row, sluice_code]),
      [
        [2, "unreadable"],
        [3, 40_000],
        [4, "unreadable"],
      ],
    );
    assert.ok(kept.some(({ sluice_text: text }) => text === broken));
    assert.match(
      String(kept.find(({ sluice_row: row }) => row === 3)?.["sluice_reason"]),
      /outcome/,
    );

    // As an operator would with an editor: one row is corrected, one as a text, and one removed.
    const corrected = kept
      .filter(({ sluice_text: text }) => text !== "[]")
      .map((row) =>
        "outcome" in row
          ? { ...row, outcome: "HIGH" }
          : { sluice_text: JSON.stringify(assess("two")) },
      );
    const again = await importFile(line, put(line, "corrected.ndjson", corrected));
    assert.deepEqual([again.written, again.refused], [2, 0]);
    const shown = await line.ask("record show risk_assessment three --organization acme");
    assert.equal((shown["state"] as Record<string, unknown>)["outcome"], "HIGH");
  });

  it("that are still invalid keep their numbers, and a file without any is not created", async () => {
    const line = await makeStore();
    const first = await importFile(line, put(line, "r.ndjson", [assess("a"), assess("b", 1)]));
    const second = await importFile(line, first.refused_file ?? "");
    assert.equal(second.refused, 1);
    assert.match(readFileSync(second.refused_file ?? "", "utf8"), /"sluice_row":2/);
    const good = await importFile(line, put(line, "good.ndjson", [assess("c")]));
    assert.equal(good.refused_file, null);
    assert.ok(!existsSync(join(line.folder, "good.refused.ndjson")));
  });
});

describe("refused rows of CSV", () => {
  it("that the store refuses are distinguished from invalid ones", async () => {
    const line = await makeStore();
    const rows = ["assessment_id,type,outcome,timestamp", `known,band,LOW,${time}`];
    await importFile(line, put(line, "first.csv", rows));
    const other = [
      rows[0],
      `known,band,HIGH,${time}`,
      `late,band,LOW,never`,
      `new,band,LOW,${time}`,
    ];
    const first = await importFile(line, put(line, "other.csv", other));
    assert.deepEqual([first.written, first.refused], [1, 2]);
    const text = readFileSync(first.refused_file ?? "", "utf8");
    assert.match(text, /^1,409\d\d,.*,known,band,HIGH,/m);
    assert.match(text, /^2,(unreadable|40000),.*timestamp.*,late,band,LOW,never$/m);
    // What already exists is not an add, but an update.
    const file = put(line, "corrected.csv", [text.replace("never", time).trimEnd()]);
    const added = await importFile(line, file);
    assert.deepEqual([added.written, added.refused], [1, 1]);
    const updated = await importFile(line, added.refused_file ?? "", "--update");
    assert.deepEqual([updated.written, updated.refused], [1, 0]);
  });
});

describe("a refused row", () => {
  it("has everything that is wrong with it, in each format", async () => {
    const line = await makeStore();
    const bad = {
      tx_id: "a",
      amount: "much",
      is_test: "maybe",
      at: "x",
      status: "MID",
      sender_country: "D",
    };
    const map = ["amount", "is_test", "timestamp=at@unix", "status", "sender_country"];
    const items = map.map((item) => (item.includes("=") ? item : `${item}=${item}`)).join(",");
    const csv = put(line, "r.csv", [Object.keys(bad).join(","), Object.values(bad).join(",")]);
    const json = put(line, "list.json", [JSON.stringify([bad])]);
    for (const file of [csv, json, put(line, "r.ndjson", [bad])]) {
      await line.type(...importing(file, "transaction", "--map", items));
      const text = readFileSync(join(line.folder, refusedName(file)), "utf8");
      for (const field of [
        "amount",
        "is_test",
        "timestamp",
        "status",
        "sender_country",
        "method",
      ]) {
        assert.match(text, new RegExp(`[";, ]${field} (must|is)`), `${file}: ${text}`);
      }
      assert.doesNotMatch(text, /amount is required|timestamp is required/);
    }
  });
});

describe("cells that spreadsheets take for formulas", () => {
  const formulas = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "'=1", "''-x", "\t=1", "\r=1"];
  const harmless = ["-12.5", "+49", "-1,000", "a=1", "'a", ""];

  it("are protected in refused rows, and restored by the import of these", async () => {
    const line = await makeStore();
    const rows = [...formulas, ...harmless].map((cell) => `"${cell}",band,LOW,never`);
    const file = put(line, "r.csv", ["note,type,outcome,timestamp", ...rows]);
    const map = ["--map", "assessment_id=~id-{#},additional_properties.note=note"];
    const { refused, refused_file: path } = await importFile(line, file, ...map);
    assert.equal(refused, rows.length);
    const text = readFileSync(path ?? "", "utf8");
    for (const cell of formulas) assert.ok(text.includes(`'${cell}`), cell);
    for (const cell of harmless) assert.ok(!text.includes(`'${cell},`) || cell === "'a", cell);
    const corrected = put(line, "corrected.csv", [text.replaceAll("never", time).trimEnd()]);
    assert.equal((await importFile(line, corrected, ...map)).written, rows.length);
    for (const [index, note] of [...formulas, ...harmless].entries()) {
      const id = `id-${index + 1}`;
      const { state } = await line.ask(`record show risk_assessment ${id} --organization acme`);
      const own = (state as Record<string, unknown>)["additional_properties"];
      const expected = [{ key: "note", value: note, type: "STRING" }];
      assert.deepEqual(own ?? [], note === "" ? [] : expected);
    }
  });
});

describe("the file of refused rows", () => {
  it("has a bound, at which the import stops and says what to do", async () => {
    const line = await makeStore();
    const lines = Array.from({ length: refusedLimits.rowsMax + 5_000 }, () => "1,2");
    const file = put(line, "r.csv", ["assessment_id", ...lines]);
    const { name, message } = await line.fail(...importing(file, "risk_assessment"));
    assert.equal(name, "input");
    assert.match(
      message,
      /More than 100,000 rows of .*r\.csv were refused.*remove .*r\.csv\.sluice/,
    );
    const kept = readFileSync(join(line.folder, "r.refused.csv"), "utf8").split("\n").length;
    assert.ok(kept > refusedLimits.rowsMax && kept < refusedLimits.rowsMax + 5_000, `${kept}`);
  });

  it("is replaced by the next import, but no other file is", async () => {
    const line = await makeStore();
    const file = put(line, "r.ndjson", [assess("one", 7)]);
    const refused = join(line.folder, "r.refused.ndjson");
    assert.equal((await importFile(line, file)).refused_file, refused);
    assert.equal((await importFile(line, file)).refused, 1);
    const mine = put(line, "r.refused.ndjson", ["notes of somebody"]);
    const before = readFileSync(mine, "utf8");
    const { name, message } = await line.fail(...importing(file, "risk_assessment"));
    assert.equal(name, "output");
    assert.match(message, /r\.refused\.ndjson exists and contains no refused rows/);
    assert.equal(readFileSync(mine, "utf8"), before);
    writeFileSync(refused, "");
    assert.equal((await importFile(line, file)).refused, 1);
  });

  it("is never that of an input, by any name", async () => {
    const line = await makeStore();
    const file = put(line, "r.ndjson", [assess("one", 7)]);
    const before = readFileSync(file, "utf8");
    symlinkSync(file, join(line.folder, "r.refused.ndjson"));
    assert.match(
      (await line.fail(...importing(file, "risk_assessment"))).message,
      /replace the input .*r\.ndjson/,
    );
    assert.equal(readFileSync(file, "utf8"), before);
  });
});
