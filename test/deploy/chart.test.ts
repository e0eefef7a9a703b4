// The Helm chart: linted, rendered for both engines, validated against the schemas of Kubernetes, and refused with
// clear messages where its values do not fit together. What needs a cluster is not tested.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { allSettings } from "../../src/process/added-settings.ts";
import { readFile, root } from "../repository/tree.ts";
import { lacks } from "../support/lacking-program.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { ingress } from "./ingress.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * For the kinds in the text, from the Python package kubernetes-validate, so that kubeconform needs no network. Its
 * schemas refer to a file of definitions by an address that is not resolved, so each copy includes them.
 * Returns what kubeconform's -schema-location takes.
 */
function writeSchemas(from: string, text: string): string {
  const folder = makeTempFolder();
  const { $defs } = readSchema(join(from, "_definitions.json"));
  for (const [, version = "", kind = ""] of text.matchAll(/^apiVersion: (\S+)\nkind: (\w+)$/gm)) {
    const suffix = version.split("/").map((part) => part.split(".")[0]);
    const name = `${[kind, ...suffix].join("-").toLowerCase()}.json`;
    const path = join(from, name);
    if (existsSync(path)) {
      writeFileSync(join(folder, name), JSON.stringify({ ...readSchema(path), $defs }));
    }
  }
  return join(folder, "{{ .ResourceKind }}{{ .KindSuffix }}.json");
}

function readSchema(path: string): Schema {
  const text = readFileSync(path, "utf8").replaceAll("/api/_definitions.json#/", "#/");
  const { $id: _, ...schema } = JSON.parse(text) as Record<string, unknown>;
  return schema;
}

const chart = join(root, "deploy/helm/sluice");

/** A folder of the Python package kubernetes-validate. Without it, kubeconform would download schemas. */
const schemas = process.env["SLUICE_TEST_KUBERNETES_SCHEMAS"];

const postgres = [
  "engine=postgres",
  "replicas=3",
  "postgres.existingSecret=database",
  "postgres.receiptKeySecret=receipt-key",
];
const everything = [
  "backup.enabled=true",
  "backup.existingClaim=backups",
  "grafanaDashboard.enabled=true",
  "image.pullSecrets={registry}",
  "ingress.enabled=true",
  "ingress.host=sluice.example",
  "ingress.tlsSecret=tls",
  "prometheusRule.enabled=true",
  "serviceMonitor.enabled=true",
  "serviceMonitor.tokenSecret=metrics",
  "settingsSecrets={metrics}",
];

const rendered = new Map<string, string>();

function helm(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("helm", words, { encoding: "utf8" });
  return { status, out: stdout, err: stderr };
}

function render(values: readonly string[], ...more: readonly string[]) {
  const set = values.flatMap((value) => ["--set", value]);
  return helm("template", "sluice", chart, "--kube-version", "1.34.0", ...set, ...more);
}

describe("the Helm chart", { skip: lacks("helm") }, () => {
  it("passes the linter", () => {
    const { status, out, err } = helm("lint", "--strict", "--kube-version", "1.34.0", chart);
    assert.equal(status, 0, out + err);
  });

  describe("for SQLite", () => {
    let text: string;
    before(() => (text = renderOrFail([])));

    it("runs one pod that keeps its volume, and no Deployment", () => {
      assert.deepEqual(kindsOf(text), ["PersistentVolumeClaim", "Service", "StatefulSet"]);
      assert.match(text, /^ {2}replicas: 1$/m);
      assert.match(text, /helm\.sh\/resource-policy: keep/);
    });

    it("gives the pod no right that it does not need", () => {
      assertHardened(text);
    });

    it("makes the store of a new release only", () => {
      assert.match(text, /^ +args: \[migrate\]$/m);
      assert.doesNotMatch(renderOrFail([], "--is-upgrade"), /migrate/);
    });

    it("listens on another address if its values say so", () => {
      const hosts = renderOrFail(["settings.HOST=::"]).match(/- name: HOST\n +value: .*/g);
      assert.deepEqual(
        hosts?.map((host) => host.split("value: ")[1]),
        ['"::"'],
      );
    });

    it("uses a claim that exists instead", () => {
      const other = renderOrFail(["sqlite.persistence.existingClaim=mine"]);
      assert.deepEqual(kindsOf(other), ["Service", "StatefulSet"]);
      assert.match(other, /claimName: mine$/m);
    });
  });

  describe("for PostgreSQL", () => {
    let text: string;
    before(() => (text = renderOrFail(postgres)));

    it("runs a Deployment with a budget and a migration before it", () => {
      const kinds = ["Deployment", "Job", "PodDisruptionBudget", "Service"];
      assert.deepEqual(kindsOf(text), kinds);
      assert.match(text, /helm\.sh\/hook: pre-install,pre-upgrade/);
    });

    it("gives the pods no right that they do not need", () => {
      assertHardened(text);
    });

    it("takes the address of the database from a Secret only", () => {
      assert.match(
        text,
        /name: DATABASE_URL\n\s+valueFrom:\n\s+secretKeyRef:\n\s+name: database\n/,
      );
    });
  });

  it("backs up on the node of the server with SQLite, and on any node with PostgreSQL", () => {
    const backup = ["backup.enabled=true", "backup.existingClaim=backups"];
    const path = "templates/backup.yaml";
    const onSqlite = renderOrFail(backup, "--show-only", path);
    assert.match(onSqlite, /podAffinity:/);
    assert.doesNotMatch(onSqlite, /DATABASE_URL/);
    const onPostgres = renderOrFail([...postgres, ...backup], "--show-only", path);
    assert.doesNotMatch(onPostgres, /affinity/i);
    assert.match(onPostgres, /name: DATABASE_URL\n\s+valueFrom:/);
    for (const text of [onSqlite, onPostgres]) {
      assert.deepEqual(kindsOf(text), ["CronJob"]);
      assert.match(text, /args: \[--to, \/backup, --keep-days, "30"\]/);
      assertHardened(text);
    }
  });

  it("gives a pod that stops more time than its delay and grace together", () => {
    const text = renderOrFail(["shutdown.delaySeconds=30", "shutdown.graceSeconds=60"]);
    const seconds = Number(/terminationGracePeriodSeconds: (\d+)/.exec(text)?.[1]);
    assert.ok(seconds > 90, String(seconds));
    assert.match(text, /name: SHUTDOWN_DELAY_MS\n\s+value: "30000"/);
    assert.match(text, /name: SHUTDOWN_GRACE_MS\n\s+value: "60000"/);
  });

  it("sets nothing that is not a setting of the service", () => {
    const known = new Set(allSettings.map(({ name }) => name));
    const text = renderOrFail(postgres) + renderOrFail(everything);
    const set = [...text.matchAll(/- name: ([A-Z][A-Z_]+)\n/g)].map(([, name = ""]) => name);
    assert.ok(set.length > 10);
    assert.deepEqual(
      set.filter((name) => !known.has(name)),
      [],
    );
  });

  it("has an Ingress with the paths and annotations of its values, and links that lead to it", () => {
    const text = renderOrFail(everything);
    const paths = [...text.matchAll(/^ +- path: (\S+)$/gm)].map(([, path]) => path);
    assert.deepEqual(paths, ingress.paths);
    for (const [name, value] of Object.entries(ingress.annotations)) {
      assert.ok(text.includes(`${name}: "${value}"`), name);
    }
    assert.match(text, /name: CONSOLE_URL\n\s+value: https:\/\/sluice\.example\n/);
    const other = renderOrFail([...everything, "settings.CONSOLE_URL=https://other.example"]);
    assert.doesNotMatch(other, /value: https:\/\/sluice\.example\n/);
    const inside = renderOrFail([...everything, "ingress.paths={/v2,/auth}"]);
    assert.doesNotMatch(inside, /path: \/console/);
  });

  it("carries the alert rules and the dashboard as they are", () => {
    const text = renderOrFail(everything);
    assert.ok(text.includes(indent("deploy/prometheus/alerts.yml", 2).trimStart()));
    assert.ok(text.includes(indent("deploy/grafana/sluice.json", 4)));
  });

  it("links alerts to the runbooks of an operator", () => {
    const address = "https://wiki.example/sluice";
    const text = renderOrFail([...everything, `prometheusRule.runbookUrl=${address}`]);
    const links = [...text.matchAll(/runbook_url: (\S+)/g)].map(([, link = ""]) => link);
    assert.ok(links.length > 10);
    assert.ok(links.every((link) => link.startsWith(`${address}#sluice`)));
  });

  const refused: readonly (readonly [what: string, values: readonly string[], message: RegExp])[] =
    [
      ["two replicas of one SQLite file", ["replicas=2"], /replicas.*(?:maximum|less than)/s],
      ["an unknown engine", ["engine=mysql"], /engine/],
      ["an unknown value", ["replica=1"], /replica/],
      ["PostgreSQL without a database", ["engine=postgres"], /postgres\.existingSecret: name/],
      ["PostgreSQL without a key", postgres.slice(0, 3), /postgres\.receiptKeySecret: name/],
      ["a backup to nowhere", ["backup.enabled=true"], /backup\.existingClaim: name/],
      ["an ingress without a host", ["ingress.enabled=true"], /ingress\.host: name/],
      ["an unknown setting", ["settings.LOG_LEVELS=debug"], /LOG_LEVELS/],
      ["a wrong value of a setting", ["settings.LOG_LEVEL=loud"], /LOG_LEVEL/],
      ["a number out of its bounds", ["settings.DATABASE_POOL_MAX=1"], /DATABASE_POOL_MAX/],
      ["an unknown value in a part", ["backup.keepdays=3"], /keepdays/],
      ["a default that was removed", ["engine=null"], /engine/],
      ["a secret as a plain value", ["settings.METRICS_TOKEN=abc"], /METRICS_TOKEN/],
    ];
  for (const [what, values, message] of refused) {
    it(`refuses ${what}`, () => {
      const { status, err } = render(values);
      assert.notEqual(status, 0);
      assert.match(err, message);
    });
  }

  it("refuses two replicas of one SQLite file also where the schema is not used", () => {
    const { status, err } = render(["replicas=2"], "--skip-schema-validation");
    assert.notEqual(status, 0);
    assert.match(err, /at most one replica may run/);
  });

  const skip =
    lacks("kubeconform") ||
    (schemas === undefined && "needs the schemas of Kubernetes (SLUICE_TEST_KUBERNETES_SCHEMAS)");
  it("is valid by the schemas of Kubernetes", { skip }, () => {
    const backup = ["backup.enabled=true", "backup.existingClaim=backups"];
    const texts = [[], postgres, everything, [...postgres, ...backup]].map((values) =>
      renderOrFail(values),
    );
    const location = writeSchemas(schemas ?? "", texts.join("\n"));
    for (const text of texts) {
      const { status, stdout } = validate(text, location);
      assert.equal(status, 0, stdout);
      assert.notEqual(validate(text.replace("labels:", "label:"), location).status, 0);
    }
  });
});

function validate(text: string, location: string) {
  // Resources of the Prometheus operator are not Kubernetes' own.
  const words = ["-strict", "-summary", "-skip", "ServiceMonitor,PrometheusRule"];
  const options = { input: text, encoding: "utf8" } as const;
  return spawnSync("kubeconform", [...words, "-schema-location", location], options);
}

/** Rendered once for the same values. */
function renderOrFail(values: readonly string[], ...more: readonly string[]): string {
  const key = [...values, ...more].join(" ");
  const known = rendered.get(key);
  if (known !== undefined) return known;
  const { status, out, err } = render(values, ...more);
  assert.equal(status, 0, err);
  rendered.set(key, out);
  return out;
}

/** The text of a file as it stands in a rendered one. */
function indent(path: string, columns: number): string {
  const lines = readFile(path).text.trimEnd().split("\n");
  return lines.map((line) => `${" ".repeat(columns)}${line}`).join("\n");
}

function kindsOf(text: string): readonly string[] {
  return [...text.matchAll(/^kind: (\w+)$/gm)].map(([, kind = ""]) => kind).sort();
}

/** Every container and every pod of the text. */
function assertHardened(text: string): void {
  const count = (pattern: RegExp) => [...text.matchAll(pattern)].length;
  const pods = count(/^ +containers:$/gm);
  const containers = pods + count(/^ +initContainers:$/gm);
  assert.ok(pods > 0);
  for (const [line, times] of [
    [/runAsNonRoot: true/g, pods],
    [/type: RuntimeDefault/g, pods],
    [/automountServiceAccountToken: false/g, pods],
    [/readOnlyRootFilesystem: true/g, containers],
    [/allowPrivilegeEscalation: false/g, containers],
    [/drop: \[ALL\]/g, containers],
  ] as const) {
    assert.equal(count(line), times, line.source);
  }
}
