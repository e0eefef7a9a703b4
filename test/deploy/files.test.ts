// The files of the deployment, parsed without the programs that they are for: wherever those are not installed, a
// syntax error or a wrong name is still found. The templates of a Helm chart as text: every action is closed, every
// block has its end, and every value and definition that is named exists. Renders nothing. The syntax of systemd's
// units: sections, settings, comments and continued lines. Does not know which values are valid.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { parseDocument } from "yaml";
import { allSettings } from "../../src/process/added-settings.ts";
import { Problem } from "../../src/settings/setting.ts";
import { blocksOf } from "../repository/rule/pages.ts";
import { readFile, readFiles, readPages, root, type TextFile } from "../repository/tree.ts";
import { lacks } from "../support/lacking-program.ts";

const opening: ReadonlySet<string> = new Set(["if", "range", "with", "define", "block"]);

function findTemplateErrors(templates: readonly TextFile[], values: object): readonly string[] {
  const defined = new Set(
    templates.flatMap(({ text }) =>
      [...text.matchAll(/\{\{-? *define "([\w.]+)"/g)].map(([, name = ""]) => name),
    ),
  );
  return templates.flatMap(({ path, text }) =>
    [
      ...findOpenBlocks(text),
      ...namesIn(text, /\binclude "([\w.]+)"/g)
        .filter((name) => !defined.has(name))
        .map((name) => `there is no definition ${name}`),
      ...namesIn(text, /\.Values\.([A-Za-z][\w.]*)/g)
        .filter((name) => !hasValue(values, name.split(".")))
        .map((name) => `there is no value ${name}`),
    ].map((why) => `${path}: ${why}`),
  );
}

function findOpenBlocks(text: string): readonly string[] {
  const actions = [...text.matchAll(/\{\{-?\s*(\/\*[\s\S]*?\*\/|[\s\S]*?)\s*-?\}\}/g)];
  if ([...text.matchAll(/\{\{/g)].length !== actions.length) return ["an action is not closed"];
  const open: string[] = [];
  for (const [, action = ""] of actions) {
    const [word = ""] = action.split(/\s/);
    if (opening.has(word)) open.push(action);
    if (word === "end" && open.pop() === undefined) return ["an end without a beginning"];
  }
  return open.map((action) => `"${action}" has no end`);
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name.replace(/\.$/, ""));
}

function hasValue(values: unknown, path: readonly string[]): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return true;
  if (typeof values !== "object" || values === null || !(first in values)) return false;
  return hasValue((values as Readonly<Record<string, unknown>>)[first], rest);
}

const sections: ReadonlySet<string> = new Set(["Unit", "Service", "Timer", "Install"]);

/** Settings that may be repeated: later ones add to earlier ones. */
const lists: ReadonlySet<string> = new Set(["SystemCallFilter", "Environment", "After", "Wants"]);

function findUnitErrors({ path, text }: TextFile): readonly string[] {
  const errors: string[] = [];
  const seen = new Set<string>();
  let section = "";
  for (const [index, line] of joined(text).entries()) {
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, name] = /^([A-Z]\w+)=/.exec(line) ?? [];
    const report = (why: string) => errors.push(`${path}: statement ${index + 1}: ${why}`);
    if (line === "" || /^[#;]/.test(line)) continue;
    if (title !== undefined) {
      section = title;
      if (!sections.has(title)) report(`there is no section ${title}`);
      continue;
    }
    if (name === undefined) report(`"${line}" is not a setting`);
    else if (section === "") report(`${name} is outside a section`);
    else if (seen.has(`${section} ${name}`) && !lists.has(name)) report(`${name} is repeated`);
    seen.add(`${section} ${name ?? ""}`);
  }
  return errors;
}

/** A backslash at the end of a line continues it. */
function joined(text: string): readonly string[] {
  return text.replace(/\\\n\s*/g, " ").split("\n");
}

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

interface SettingsSchema {
  readonly properties: {
    readonly settings: { readonly properties: Readonly<Record<string, object>> };
  };
}

/** Paths in the values of the chart, and values that it refuses there. */
const faultyValues: readonly (readonly [path: string, ...values: unknown[]])[] = [
  ["engine", "mysql", "SQLite", null, undefined],
  ["replica", 1],
  ["replicas", 2, "1", -1, 0.5, null],
  ["image.repository", "", "Sluice", "a b", undefined],
  ["image.tag", "a b", 1],
  ["image.digest", "sha256:1"],
  ["image.pullPolicy", "always"],
  ["nameOverride", "Sluice", "-a"],
  ["sqlite.persistence.size", "10", "10GB", 10],
  ["sqlite.persistence.storageclass", "fast"],
  ["postgres.urlKey", "", "a b", undefined],
  ["postgres.migration.enabled", "true"],
  ["podDisruptionBudget.maxUnavailable", "half", "101%", -1],
  ["service.type", "Ingress"],
  ["service.port", 0, 65_536, "80"],
  ["service.annotations", { a: 1 }],
  ["ingress.host", "https://sluice.example", "sluice.example:443", "Sluice.example"],
  ["ingress.paths", [], ["/metrics"], ["/v2", "/v2"]],
  ["ingress.className", "a b"],
  ["resources.limit", {}],
  ["resources.limits", { memory: "1 GB" }, { memory: true }],
  ["backup.schedule", "daily", "0 0 * *"],
  ["backup.keepDays", "30", -1],
  ["serviceMonitor.interval", "30", 30],
  ["prometheusRule.runbookUrl", "docs/guides/runbooks.md", ""],
  ["tolerations", [{ effect: "noschedule" }], [{ tolerationSecond: 1 }]],
  ["affinity.nodeaffinity", {}],
];

const goodValues: typeof faultyValues = [
  ["engine", "sqlite"],
  ["image.repository", "registry.example:5000/team/sluice"],
  ["image.tag", "", "1.0.0-rc.1"],
  ["podDisruptionBudget.maxUnavailable", 1, "50%"],
  ["ingress.host", "", "sluice.example"],
  ["ingress.annotations", {}],
  ["resources", {}, { requests: { cpu: 1, memory: "384Mi" }, limits: { cpu: "250m" } }],
  ["backup.schedule", "@daily", "*/5 1-3 * * MON"],
  ["tolerations", [{ key: "a", operator: "Exists", effect: "NoSchedule" }]],
  ["affinity", { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } }],
];

/** A copy of the values, with another one at the path; without it for undefined. */
function withValue(values: object, path: string, value: unknown): object {
  const changed = structuredClone(values) as Record<string, unknown>;
  const names = path.split(".");
  const last = names.pop() ?? "";
  let at = changed;
  for (const name of names) at = at[name] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return changed;
}

describe("the chart, without helm", () => {
  const values = parseDocument(readFile(`${chart}/values.yaml`).text).toJS() as object;
  const schema = JSON.parse(readFile(`${chart}/values.schema.json`).text) as object;
  const validate = new Ajv({ strictTypes: false }).compile(schema);
  const templates = readFiles(`${chart}/templates/*`);

  it("has values that its schema accepts, and a schema that accepts no others", () => {
    assert.equal(validate(values), true, JSON.stringify(validate.errors));
    for (const [path, ...wrong] of faultyValues) {
      for (const value of wrong) {
        const what = `${path}: ${JSON.stringify(value)}`;
        assert.equal(validate(withValue(values, path, value)), false, what);
      }
    }
    for (const [path, ...right] of goodValues) {
      for (const value of right) {
        assert.equal(
          validate(withValue(values, path, value)),
          true,
          `${path}: ${JSON.stringify(value)}`,
        );
      }
    }
  });

  it("accepts of each setting exactly the texts that the service accepts, and no unknown setting", () => {
    const bounds = allSettings.flatMap(({ read: { form } }) =>
      form !== undefined && "min" in form ? [form.min, form.max] : [],
    );
    const numbers = [
      ...new Set(bounds.flatMap((bound) => [bound - 1, bound, bound + 1, bound * 3])),
    ];
    const texts = ["", "on", "off", "yes", "info", "Info", "gzip", "1.5", ...numbers.map(String)];
    const { settings: known } = (schema as SettingsSchema).properties;
    let tried = 0;
    for (const { name, fallback, read } of allSettings) {
      if (read.form === undefined || known.properties[name] === undefined) continue;
      for (const text of texts) {
        const isValid = !(read(text === "" ? fallback : text) instanceof Problem);
        const given = { ...values, settings: { [name]: text } };
        assert.equal(validate(given), isValid, `${name}=${text}`);
        tried += 1;
      }
    }
    assert.ok(tried > 100);
    for (const name of ["LOG_LEVELS", "log_level", "PORT", "METRICS_TOKEN", "DATABASE_URL"]) {
      assert.equal(validate({ ...values, settings: { [name]: "info" } }), false, name);
    }
    for (const value of [1_000, true, null]) {
      assert.equal(validate({ ...values, settings: { RATE_LIMIT_PER_SECOND: value } }), false);
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
