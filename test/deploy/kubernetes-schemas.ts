// Schemas of Kubernetes for kubeconform without a network, from those in the Python package kubernetes-validate. These
// refer to a file of definitions by an address that kubeconform does not resolve, so each copy includes the
// definitions.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";

type Schema = Readonly<Record<string, unknown>>;

/** For the kinds in the text. Returns what kubeconform's -schema-location takes. */
export function writeSchemas(from: string, text: string): string {
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
