// Alert rules and dashboard: checked by promtool, and compared with the metrics that exist and with the runbooks.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { readFile, root } from "../repository/tree.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { lacks } from "../support/lacking-program.ts";

const rulesPath = "deploy/prometheus/alerts.yml";
const testsPath = "test/deploy/alert-rules.yml";
const overWeeksPath = "test/deploy/alert-rules-over-weeks.yml";
const guide = "docs/guides/runbooks.md";
const { repository } = JSON.parse(readFile("package.json").text) as {
  readonly repository: { readonly url: string };
};
/** An address that a person can open from wherever the alert arrives. */
const runbooks = `${repository.url.replace(/^git\+|\.git$/g, "")}/blob/main/${guide}`;

const known = new Set(
  [...readFile("docs/reference/metrics.md").text.matchAll(/^\| `(sluice_\w+)`/gm)].map(
    ([, name]) => name,
  ),
);

/** Metrics that a text names and that do not exist; series of a histogram belong to it. */
function findUnknownMetrics(text: string): readonly string[] {
  const names = text.match(/\bsluice_[a-z0-9_]+/g) ?? [];
  return names.filter(
    (name) => !known.has(name) && !known.has(name.replace(/_(?:bucket|sum|count)$/, "")),
  );
}

describe("the alert rules", () => {
  const { text } = readFile(rulesPath);
  const alerts = [...text.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);

  it("use metrics that exist", () => {
    assert.ok(alerts.length > 10);
    assert.deepEqual(findUnknownMetrics(text), []);
    assert.deepEqual(findUnknownMetrics("sluice_nothing_total"), ["sluice_nothing_total"]);
  });

  it("each link to a section of the runbooks, which has no other", () => {
    const links = [...text.matchAll(/runbook_url: (\S+)/g)].map(([, link]) => link);
    assert.deepEqual(
      links,
      alerts.map((name) => `${runbooks}#${name.toLowerCase()}`),
    );
    const sections = [...readFile(guide).text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    assert.deepEqual(sections, alerts);
  });

  it("each fire in a unit test", () => {
    const tested = [
      ...(readFile(testsPath).text + readFile(overWeeksPath).text).matchAll(
        /alertname: (\w+)\n\s+eval_time: \w+\n\s+exp_alerts:\n/g,
      ),
    ].map(([, name = ""]) => name);
    assert.deepEqual(tested.sort(), [...alerts].sort());
  });

  const skip = lacks("promtool");

  it("are valid, and pass their unit tests", { skip }, () => {
    const checked = promtool(["check", "rules", rulesPath]);
    assert.equal(checked.status, 0, checked.output);
    assert.match(checked.output, new RegExp(`${alerts.length} rules found`));
    const tested = promtool(["test", "rules", testsPath, overWeeksPath]);
    assert.equal(tested.status, 0, tested.output);
  });

  it("link to the runbooks of an operator once the command of the guide has run", { skip }, () => {
    const folder = makeTempFolder();
    write(join(folder, "alerts.yml"), text);
    const [command = ""] =
      /^sed -i .* alerts\.yml$/m.exec(readFile("docs/guides/deployment.md").text) ?? [];
    assert.equal(spawnSync("sh", ["-c", command], { cwd: folder }).status, 0);
    const changed = readFileSync(join(folder, "alerts.yml"), "utf8");
    assert.equal(
      changed.split("runbook_url: https://wiki.example/sluice#sluice").length,
      alerts.length + 1,
    );
    assert.equal(promtool(["check", "rules", "alerts.yml"], folder).status, 0);
  });

  it("would fail their unit tests with another bound or another metric", { skip }, () => {
    const changes = [
      ["> 900", "> 90000"],
      ["sluice_load_shed_total", "sluice_load_shed"],
      ["> 0.01", "> 0.0001"],
    ] as const;
    for (const [from, to] of changes) {
      const folder = makeTempFolder();
      write(join(folder, rulesPath), text.replace(from, to));
      write(join(folder, testsPath), readFile(testsPath).text);
      assert.notEqual(promtool(["test", "rules", testsPath], folder).status, 0, to);
    }
  });
});

describe("the dashboard", () => {
  const { text } = readFile("deploy/grafana/sluice.json");

  it("uses metrics that exist", () => {
    assert.deepEqual(findUnknownMetrics(text), []);
  });

  it("shows every metric of the service", () => {
    const missing = [...known].filter((name = "") => !text.includes(name));
    assert.deepEqual(missing, []);
  });

  it("has panels of different ids that do not overlap, each with a unit and a data source", () => {
    const { panels } = JSON.parse(text) as { panels: readonly Panel[] };
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const panel of panels.filter(({ type }) => type !== "row")) {
      assert.equal(panel.datasource?.uid, "${datasource}", panel.title);
      assert.ok(panel.fieldConfig?.defaults.unit !== undefined, panel.title);
      const overlapping = panels.filter((other) => other !== panel && overlaps(panel, other));
      assert.deepEqual(overlapping, []);
    }
  });

  it("has expressions that Prometheus parses", { skip: lacks("promtool") }, () => {
    const { panels } = JSON.parse(text) as { panels: readonly Panel[] };
    const expressions = panels
      .flatMap(({ targets = [] }) => targets)
      .map(({ expr }) => expr.replaceAll("$__rate_interval", "5m"));
    assert.ok(expressions.length > 30);
    const rules = expressions.map((expr, index) => ({ record: `expression:${index}`, expr }));
    const folder = makeTempFolder();
    write(join(folder, "rules.yml"), JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    const { status, output } = promtool(["check", "rules", "rules.yml"], folder);
    assert.equal(status, 0, output);
  });
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly datasource?: { readonly uid: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string }[];
}

function overlaps({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  const isBeside = one.x + one.w <= other.x || other.x + other.w <= one.x;
  const isAbove = one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !isBeside && !isAbove;
}

function promtool(words: readonly string[], cwd = root): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync("promtool", words, { cwd, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
