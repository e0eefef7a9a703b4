// The files of the deployment, parsed without the programs that they are for: wherever those are not installed, a syntax
// error or a wrong name is still found.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { parseDocument } from "yaml";
import { blocksOf } from "../repository/rule/pages.ts";
import { readFile, readFiles, readPages, root, type TextFile } from "../repository/tree.ts";
import { lacks } from "./packed.ts";
import { findTemplateErrors } from "./rule/templates.ts";
import { findUnitErrors } from "./rule/units.ts";

const chart = "deploy/helm/sluice";

describe("the YAML files", () => {
  const files = readFiles(
    "{deploy,test}/**/*.yml",
    `${chart}/*.yaml`,
    "docs/**/*.{yml,yaml}",
    ".ci/*.{yml,yaml}",
  );

  it("are valid YAML without warnings or repeated keys", () => {
    assert.ok(files.length >= 5);
    assert.deepEqual(files.flatMap(findYamlErrors), []);
  });

  it("would be found invalid", () => {
    for (const text of ["a: 1\na: 2\n", "a: [1\n", "a:\n\tb: 1\n", "a: b: c\n"]) {
      assert.notDeepEqual(findYamlErrors({ path: "a.yml", text }), [], text);
    }
  });

  it("in documents are valid too", () => {
    const blocks = readPages().flatMap(({ path, text }) =>
      blocksOf(text, "yaml").map((block) => ({ path, text: block })),
    );
    assert.ok(blocks.length > 1);
    assert.deepEqual(blocks.flatMap(findYamlErrors), []);
  });
});

describe("the chart, without helm", () => {
  const values = parseDocument(readFile(`${chart}/values.yaml`).text).toJS() as object;
  const schema = JSON.parse(readFile(`${chart}/values.schema.json`).text) as object;
  const validate = new Ajv({ strictTypes: false }).compile(schema);
  const templates = readFiles(`${chart}/templates/*`);

  it("has values that its schema accepts, and a schema that accepts no others", () => {
    assert.equal(validate(values), true, JSON.stringify(validate.errors));
    const faulty = [{ engine: "mysql" }, { replica: 1 }, { replicas: 2 }, { replicas: "1" }];
    for (const change of faulty) {
      assert.equal(validate({ ...values, ...change }), false, JSON.stringify(change));
    }
  });

  it("has templates whose blocks are closed and whose values and definitions exist", () => {
    assert.ok(templates.length > 8);
    assert.deepEqual(findTemplateErrors(templates, values), []);
  });

  it("would be found invalid", () => {
    const faulty = [
      "{{ if .Values.engine }}",
      "{{ end }}",
      "{{ if .Values.engine }}{{ else }}",
      "{{ .Values.engine",
      "{{ .Values.engin }}",
      '{{ include "sluice.nothing" . }}',
    ];
    for (const text of faulty) {
      const found = findTemplateErrors([{ path: "a.yaml", text }], { engine: "sqlite" });
      assert.equal(found.length, 1, text);
    }
  });

  it("states the version of the service", () => {
    const { appVersion } = parseDocument(readFile(`${chart}/Chart.yaml`).text).toJS() as {
      readonly appVersion: string;
    };
    const { version } = JSON.parse(readFile("package.json").text) as { readonly version: string };
    assert.equal(appVersion, version);
  });
});

describe("the units of systemd, without systemd", () => {
  const units = readFiles("deploy/systemd/*.{service,timer}");

  it("have known sections, settings once, and no line that is neither", () => {
    assert.equal(units.length, 3);
    assert.deepEqual(units.flatMap(findUnitErrors), []);
  });

  it("would be found invalid", () => {
    const faulty = [
      "User=sluice\n",
      "[Servic]\nUser=sluice\n",
      "[Service]\nUser sluice\n",
      "[Service]\nUser=a\nUser=b\n",
      "[Timer]\nOnCalendar=\n\\\n",
    ];
    for (const text of faulty) {
      assert.notDeepEqual(findUnitErrors({ path: "a.service", text }), [], text);
    }
  });
});

describe("the JSON files", () => {
  it("are valid JSON", () => {
    const files = readFiles("{deploy,clients}/**/*.json");
    assert.ok(files.length >= 3);
    for (const { path, text } of files) assert.doesNotThrow(() => void JSON.parse(text), path);
  });
});

describe("the shell scripts", () => {
  const scripts = readFiles(".ci/run");
  const pages = readPages()
    .map(({ path, text }) => ({ path, text: blocksOf(text, "sh").join("\n") }))
    .filter(({ text }) => text !== "");

  it("in files and in documents are accepted by bash", () => {
    assert.ok(scripts.length === 1 && pages.length > 10);
    assert.deepEqual([...scripts, ...pages].flatMap(findShellErrors), []);
    assert.equal(findShellErrors({ path: "a.md", text: "if true; then\n" }).length, 1);
  });

  it("in files pass shellcheck", { skip: lacks("shellcheck") }, () => {
    const paths = scripts.map(({ path }) => path);
    const { status, stdout } = spawnSync("shellcheck", paths, { cwd: root, encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
});

function findYamlErrors({ path, text }: TextFile): readonly string[] {
  const { errors, warnings } = parseDocument(text, { strict: true, uniqueKeys: true });
  return [...errors, ...warnings].map(({ message }) => `${path}: ${message}`);
}

function findShellErrors({ path, text }: TextFile): readonly string[] {
  const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
  return status === 0 ? [] : [`${path}: ${stderr}`];
}
