// The reference pages compared with the code: hand-written ones name by name, generated ones as a
// whole.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pages } from "../../docs/generate/pages.ts";
import { loadTable } from "../../src/process/command-table.ts";
import { optionFlag } from "../../src/cli/option-flag.ts";
import { allSettings } from "../../src/process/added-settings.ts";
import { findReceiptFaults } from "../../src/domain/deletion/receipt.ts";
import { allErrors } from "../../src/process/tables.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { allScopes } from "../../src/domain/scope.ts";
import { operations } from "../../src/process/operations.ts";
import { compare, rowsOf } from "./rule/reference.ts";
import { startService } from "../support/service.ts";
import { readFile, readPages } from "./tree.ts";

const { commands } = await loadTable();

describe("what documents say of receipts", () => {
  const page = "docs/guides/erasure.md";

  it("names every field on the page that the others link to, and no other", () => {
    const [, section = ""] = readFile(page).text.split("### What a receipt contains\n");
    const rows = rowsOf(section.split("\n### ")[0] ?? "").slice(1);
    const named = rows.flatMap(([fields = ""]) =>
      fields.split(/[`, ]+/).filter((name) => name !== ""),
    );
    const missing = findReceiptFaults({ version: 2 }).map(
      (fault) => /field (\w+) is/.exec(fault)?.[1],
    );
    assert.deepEqual(
      new Set(named),
      new Set([...missing, "version", "approval", "carried_out_again"]),
    );
  });

  it("never promises numbers in one", () => {
    const promise =
      /receipt (?:that )?(?:says|states|counts|contains|has) (?:how many|the number)|receipt\*? counts/;
    const texts = readPages().map(({ path, text }) => ({ path, text: text.replace(/\s+/g, " ") }));
    assert.deepEqual(
      texts.filter(({ text }) => promise.test(text)).map(({ path }) => path),
      [],
    );
    assert.match("a signed receipt that says how many records were erased", promise);
  });
});

describe("the hand-written reference pages", () => {
  it("name every setting with its default, and no other", () => {
    const page = "docs/reference/settings.md";
    const inCode = allSettings.map(({ name, fallback }) => `${name} = ${fallback}`);
    const inDocs = rowsOf(readFile(page).text)
      .filter(([name]) => name !== "setting")
      .map(([name, fallback]) => `${name} = ${fallback}`);
    assert.deepEqual(compare(page, inCode, inDocs), []);
  });

  it("name every error with its code, and no other", () => {
    const page = "docs/reference/errors.md";
    const inCode = Object.entries(allErrors).map(([name, { code }]) => `${code} ${name}`);
    const inDocs = rowsOf(readFile(page).text)
      .filter(([code]) => code !== "code")
      .map(([code, name]) => `${code} ${name}`);
    assert.deepEqual(compare(page, inCode, inDocs), []);
  });

  it("name the labels of the build", async () => {
    const row = rowsOf(readFile("docs/reference/metrics.md").text).find(
      ([name]) => name === "sluice_build_info",
    );
    assert.deepEqual(row?.[2]?.match(/\w+/g), Object.keys(build));
  });

  it("name every metric with its type, and no other", async () => {
    const page = "docs/reference/metrics.md";
    const inDocs = rowsOf(readFile(page).text)
      .filter(([name]) => name?.startsWith("sluice_"))
      .map(([name, type]) => `${name} ${type}`);
    assert.deepEqual(compare(page, await registeredMetrics(), inDocs), []);
  });

  it("would fail for what is missing, superfluous or duplicate", () => {
    assert.deepEqual(compare("page", ["a", "b"], ["b", "c", "c"]), [
      "page: lacks a",
      "page: has c, which the code has not",
      "page: has c, which the code has not".replace("c, which the code has not", "c twice"),
    ]);
  });

  it("are read by rows and cells", () => {
    const text = "# T\n\n| a | b |\n|---|:-:|\n| `x` | one \\| two |\n\ntext | no table\n";
    assert.deepEqual(rowsOf(text), [
      ["a", "b"],
      ["x", "one \\| two"],
    ]);
  });
});

describe("the generated reference pages", () => {
  for (const { path, render } of pages) {
    it(`are up to date: ${path}`, () => {
      assert.equal(readFile(path).text, render(), "run npm run docs");
    });
  }

  const text = Object.fromEntries(pages.map(({ path, render }) => [path, render()]));
  const renderedPage = (name: string) => text[`docs/reference/${name}.md`] ?? "";

  it("name every record type, field, rule and relation", () => {
    const page = renderedPage("records");
    for (const type of recordTypes) {
      const part = page.split(`## ${type.title}\n`)[1]?.split("\n## ")[0] ?? "";
      const names = rowsOf(part).map(([name]) => name ?? "");
      const top = names.slice(1).filter((name) => !/[.[]/.test(name));
      assert.deepEqual(compare(type.resourceType, type.fieldNames, top), []);
      for (const { summary } of type.rules) assert.ok(part.includes(summary), summary);
      for (const { field } of type.relations) assert.ok(part.includes(`in \`${field}\`.`), field);
    }
    assert.equal(page.match(/^## /gm)?.length, recordTypes.length);
  });

  it("name every field inside an object", () => {
    const page = renderedPage("records");
    for (const name of [
      "address.lines",
      "addresses[].address.city",
      "additional_properties[].key",
    ]) {
      assert.ok(page.includes(`| \`${name}\` |`), name);
    }
  });

  it("name every scope", () => {
    const scopes = rowsOf(renderedPage("scopes"))
      .slice(1)
      .map(([scope]) => scope ?? "");
    assert.deepEqual(compare("scopes", allScopes, scopes), []);
  });

  it("name every operation", () => {
    const rows = rowsOf(renderedPage("operations"))
      .filter((cells) => cells.length === 5)
      .slice(1);
    const inCode = operations.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(
      compare(
        "operations",
        inCode,
        rows.map(([operation]) => operation ?? ""),
      ),
      [],
    );
  });

  it("name every command and every option of it", () => {
    const parts = renderedPage("cli").split(/^## /m).slice(1);
    assert.deepEqual(
      parts.map((part) => part.split("\n")[0]),
      commands.map(({ name }) => `\`sluice ${name}\``),
    );
    for (const [index, command] of commands.entries()) {
      for (const name of Object.keys(command.options)) {
        const form = new RegExp(`^\\| \`(?:-\\w, )?${optionFlag(name)}[ \`]`, "m");
        assert.match(parts[index] ?? "", form, `${command.name} ${name}`);
      }
    }
  });
});

const build = { version: "1.2.3", node: "26.10.0", engine: "sqlite" } as const;

async function registeredMetrics(): Promise<readonly string[]> {
  const service = await startService();
  const { text } = await service.client.send({ method: "GET", path: "/metrics" });
  await service.stop();
  return [...text.matchAll(/^# TYPE (\S+ \S+)$/gm)].map(([, entry = ""]) => entry);
}
